--@ core
-- Take a named lease that nobody holds. ARGV: name, owner, ttl. The hash stays for ever: its token only grows.
local where = key('lease:', ARGV[1])
local held = call('HMGET', where, 'owner', 'expires_at')
if held[1] and tonumber(held[2]) > now then
  return false
end
local token = call('HINCRBY', where, 'token', 1)
local expires_at = text(now + ARGV[3])
call('HSET', where, 'owner', ARGV[2], 'expires_at', expires_at)
return { ARGV[2], token, expires_at }
