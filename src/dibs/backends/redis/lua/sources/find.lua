--@ core
-- Read sources by name. ARGV: the names, or none of them for all.
local rows = {}
for index, name in ipairs(#ARGV > 0 and ARGV or call('ZRANGE', key('sources'), 0, -1)) do
  rows[index] = call('HGETALL', key('source:', name))
end
return rows
