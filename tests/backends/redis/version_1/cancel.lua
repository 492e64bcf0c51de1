--@ core jobs endings
-- Move unfinished jobs to cancelled, by an operator. ARGV: actor, reason, then the ids.
local IS_FINAL = { succeeded = true, failed = true, cancelled = true }
local answers = {}

local function cancel_job(job)
  if job.state == 'running' then
    call('ZREM', RUNNING, running_member(job.token, job.id))
    end_attempt(job, 'cancelled')
  else
    leave_line(job)
  end
  job.token = next_token()
  finish(job, 'cancelled', 'token', text(job.token))
  record('JOB_CANCELLED', job, ARGV[1], ARGV[2], '{"before":"' .. job.state .. '"}')
  return 'cancelled'
end

for index = 3, #ARGV do
  local job = load_job(ARGV[index])
  if not job then
    answers[index - 2] = 'missing'
  elseif IS_FINAL[job.state] then
    answers[index - 2] = 'already_final'
  else
    answers[index - 2] = cancel_job(job)
  end
end

write_ends()
write_audit()
return answers
