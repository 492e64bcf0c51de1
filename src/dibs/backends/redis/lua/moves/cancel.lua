--@ storing/cancelling
-- Move unfinished jobs to cancelled, by an operator. ARGV: actor, reason, then the ids.
local IS_FINAL = { succeeded = true, failed = true, cancelled = true }
local answers = {}

for index = 3, #ARGV do
  local job = load_job(ARGV[index])
  if not job then
    answers[index - 2] = 'missing'
  elseif IS_FINAL[job.state] then
    answers[index - 2] = 'already_final'
  else
    answers[index - 2] = cancel_job(job, ARGV[1], ARGV[2])
  end
end

write_ends()
write_audit()
tell_queues()
return answers
