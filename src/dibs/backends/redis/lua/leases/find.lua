--@ core
-- Tell who holds a named lease. ARGV: name.
local held = call('HMGET', key('lease:', ARGV[1]), 'owner', 'token', 'expires_at')
if not held[1] or tonumber(held[3]) <= now then
  return false
end
return { held[1], tonumber(held[2]), held[3] }
