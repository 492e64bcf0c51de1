--@ lines
-- Bring due jobs from `later` into their lines, a bounded number a call; tells whether more are due.
local MOST_PROMOTED = 1000

local function promote_due()
  local due = call('ZRANGEBYSCORE', key('later'), '-inf', now, 'LIMIT', 0, MOST_PROMOTED)
  for _, id in ipairs(due) do
    local job = load_job(id)
    if job then
      line_up_job(job, job.run_at)
    end
  end
  send('ZREM', key('later'), due)
  write_lines()
  return #due == MOST_PROMOTED
end
