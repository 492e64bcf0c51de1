--@ core
-- Forget fires of one schedule, the earliest instants first. ARGV: its name, most.
local name, where = ARGV[1], key('fires:', ARGV[1])
local gone = call('ZRANGE', where, 0, tonumber(ARGV[2]) - 1)
for _, member in ipairs(gone) do
  call('ZREM', where, member)
  call('ZREM', key('fires_by_age'), name .. '\31' .. string.match(member, '^[^ ]*'))
end
return #gone
