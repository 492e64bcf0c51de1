--@ lines
-- Bring due jobs from `later` into their lines, a bounded number a call; tells whether more are due.
local MOST_PROMOTED = 1000
local due_ids = call('ZRANGEBYSCORE', key('later'), '-inf', now, 'LIMIT', 0, MOST_PROMOTED)
local due_jobs = {}

for _, id in ipairs(due_ids) do
  local job = load_job(id)
  if job then
    due_jobs[#due_jobs + 1] = job
    is_governing = is_governing or (job.fixed[SOURCE] or job.fixed[CONCURRENCY_KEY]) ~= nil
  end
end

local function promote_due()
  for _, job in ipairs(due_jobs) do
    line_up_job(job, job.run_at)
  end
  send('ZREM', key('later'), due_ids)
  write_lines()
  return #due_ids == MOST_PROMOTED
end
