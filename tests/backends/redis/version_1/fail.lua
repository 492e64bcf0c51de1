--@ core jobs endings
-- Move running jobs to retryable, to failed, or, after a crash, to pending. ARGV: one packed failure each.
local MEMBER, KIND, ERROR, ERROR_TYPE, RETRY_IN, COST, MOST_DEATHS = 1, 2, 3, 4, 5, 6, 7
local answers = {}

local function fail_for_good(job, failure, action, counts)
  finish(job, 'failed', 'error', failure[ERROR], unpack(counts))
  record(action, job, worker_of(job), failure[ERROR_TYPE])
  return 'failed'
end

local function try_again(job, failure, state, counts)
  put_back(job, state, now + failure[RETRY_IN], 'error', failure[ERROR], unpack(counts))
  return state
end

local function fail_job(job, failure)
  local is_crash = failure[KIND] == 'crash'
  local is_transient = failure[KIND] == 'transient'
  local deaths = job.deaths + (is_crash and 1 or 0)
  local attempts = job.attempts + 1
  local counts = { 'attempts', attempts, 'deaths', deaths, 'cost', text(job.cost + failure[COST]) }
  end_attempt(job, is_crash and 'crashed' or 'errored', failure[ERROR])
  if is_crash and deaths < failure[MOST_DEATHS] then
    return try_again(job, failure, 'pending', counts)
  elseif is_crash then
    return fail_for_good(job, failure, 'JOB_QUARANTINED', counts)
  elseif is_transient and attempts - deaths <= job.fixed[MAX_RETRIES] then
    return try_again(job, failure, 'retryable', counts)
  end
  return fail_for_good(job, failure, is_transient and 'JOB_EXHAUSTED_RETRIES' or 'JOB_FAILED', counts)
end

for index = 1, #ARGV do
  local failure = cmsgpack.unpack(ARGV[index])
  local job = take_held(failure[MEMBER])
  answers[index] = job and fail_job(job, failure) or false
end

write_ends()
write_lines()
write_audit()
tell_queues()
return answers
