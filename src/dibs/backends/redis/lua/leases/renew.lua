--@ core
-- Let a named lease end later, if it is still this one. ARGV: name, owner, token, ttl.
local where = key('lease:', ARGV[1])
local held = call('HMGET', where, 'owner', 'token')
if held[1] ~= ARGV[2] or held[2] ~= ARGV[3] then
  return false
end
local expires_at = text(now + ARGV[4])
call('HSET', where, 'expires_at', expires_at)
return { ARGV[2], tonumber(ARGV[3]), expires_at }
