--@ ends
-- Move running jobs back to pending. ARGV: for each its member in `running`, delay, outcome and cost.
local answers = {}

for index = 1, #ARGV, 4 do
  local job = take_held(ARGV[index])
  answers[#answers + 1] = job and 1 or 0
  if job then
    end_attempt(job, ARGV[index + 2])
    add_cost(job.id, job.fixed[TENANT], ARGV[index + 3])
    put_back(job, 'pending', now + ARGV[index + 1])
  end
end

write_lines()
tell_queues()
return answers
