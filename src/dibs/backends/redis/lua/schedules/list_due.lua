--@ schedules/rows
-- Tell the time, and the schedules that are due, the earliest first. ARGV: most.
local rows = {}
for index, name in ipairs(call('ZRANGEBYSCORE', key('schedules_due'), '-inf', stamp, 'LIMIT', 0, ARGV[1])) do
  rows[index] = read_schedule(name)
end
return { stamp, rows }
