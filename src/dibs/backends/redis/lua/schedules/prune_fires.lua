--@ core
-- Forget fires that fired long ago, the oldest first. ARGV: how long ago, most.
local old = call('ZRANGEBYSCORE', key('fires_by_age'), '-inf', '(' .. text(now - ARGV[1]), 'LIMIT', 0, ARGV[2])
for _, member in ipairs(old) do
  local name, instant = string.match(member, '^(.*)\31([^\31]*)$')
  call('ZREMRANGEBYSCORE', key('fires:', name), instant, instant)
end
send('ZREM', key('fires_by_age'), old)
return #old
