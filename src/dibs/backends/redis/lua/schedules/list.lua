--@ schedules/rows
-- Read schedules, by tenant and name. ARGV: the bounds between which their names are.
local rows = {}
for index, name in ipairs(call('ZRANGEBYLEX', key('schedules'), ARGV[1], ARGV[2])) do
  rows[index] = read_schedule(name)
end
return rows
