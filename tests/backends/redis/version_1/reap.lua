--@ core jobs endings
-- Take lapsed jobs from their workers. ARGV: limit, most deaths, the words before and after the number of deaths
-- in the error of a quarantined job.
local limit, most_deaths = tonumber(ARGV[1]), tonumber(ARGV[2])
-- The members begin with the token, so that of jobs that lapsed together the one claimed first comes first.
local lapsed = call('ZRANGEBYSCORE', RUNNING, '-inf', now, 'LIMIT', 0, limit)
local answers = {}

local function reclaim(job)
  local worker = worker_of(job)
  local deaths = job.deaths + 1
  end_attempt(job, 'lost')
  job.token = next_token()
  local counts = { 'token', text(job.token), 'attempts', job.attempts + 1, 'deaths', deaths }
  local detail = '{"locked_by":' .. cjson.encode(worker) .. '}'
  if deaths < most_deaths then
    put_back(job, 'pending', job.run_at, unpack(counts))
    record('JOB_RECLAIMED', job, 'dibs:reaper', '', detail)
    return worker, 'pending'
  end
  finish(job, 'failed', 'error', ARGV[3] .. text(deaths) .. ARGV[4], unpack(counts))
  record('JOB_QUARANTINED', job, 'dibs:reaper', '', detail)
  return worker, 'failed'
end

for index, member in ipairs(lapsed) do
  local job = take_held(member)
  local token = job.token
  local worker, state = reclaim(job)
  answers[index] = { job.id, token, worker, state }
end

write_ends()
write_lines()
write_audit()
tell_queues()
return answers
