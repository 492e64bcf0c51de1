--@ ends audit
-- Unfinished jobs, cancelled from outside: the token grows, so that a holder's later writes are refused.
local function cancel_job(job, actor, reason)
  if job.state == 'running' then
    take_held(running_member(job.token, job.id))
    end_attempt(job, 'cancelled')
  else
    leave_line(job)
  end
  job.token = next_token()
  finish(job, 'cancelled', 'token', text(job.token))
  record('JOB_CANCELLED', job, actor, reason, '{"before":"' .. job.state .. '","after":"cancelled"}')
  return 'cancelled'
end
