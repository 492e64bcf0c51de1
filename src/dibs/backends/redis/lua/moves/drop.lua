--@ ends audit
-- Move running jobs to cancelled, by their holder. ARGV: for each its member in `running`, reason and cost.
local answers = {}

for index = 1, #ARGV, 3 do
  local job = take_held(ARGV[index])
  answers[#answers + 1] = job and 1 or 0
  if job then
    end_attempt(job, 'cancelled')
    add_cost(job.id, job.fixed[TENANT], ARGV[index + 2])
    finish(job, 'cancelled')
    record('JOB_DROPPED', job, worker_of(job), ARGV[index + 1])
  end
end

write_ends()
write_audit()
tell_queues()
return answers
