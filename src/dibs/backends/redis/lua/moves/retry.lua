--@ lines audit rivals governed/lanes
-- Move failed and cancelled jobs to pending, by an operator. ARGV: actor, reason, then the ids.
local answers = {}

local function revive(job)
  job.token = next_token()
  call('HDEL', job_key(job.id), 'lock', 'heartbeat_at', 'attempts', 'deaths', 'output', 'error', 'progress',
    'started_at', 'finished_at')
  call('HSET', job_key(job.id), 'state', 'pending', 'token', text(job.token), 'run_at', stamp)
  call('ZREM', key('done:', job.state), job.id)
  call('ZREM', key('finished:', job.state), running_member(job.seq, job.id))
  call('ZADD', ACTIVE, job.seq, job.id)
  if job.fixed[UNIQUE_KEY] then
    call('ZADD', key('held:', unique_name(job.fixed)), job.seq, job.id)
  end
  line_up_job(job, now)
  record('JOB_RETRIED', job, ARGV[1], ARGV[2], '{"before":"' .. job.state .. '","after":"pending"}')
  return 'retried'
end

for index = 3, #ARGV do
  local job = load_job(ARGV[index])
  if not job then
    answers[index - 2] = 'missing'
  elseif job.state ~= 'failed' and job.state ~= 'cancelled' then
    answers[index - 2] = 'not_revivable'
  elseif job.fixed[UNIQUE_KEY] and find_rival(unique_name(job.fixed), 'unfinished') then
    answers[index - 2] = 'key_taken'
  else
    answers[index - 2] = revive(job)
  end
end

write_lines()
write_audit()
tell_queues()
return answers
