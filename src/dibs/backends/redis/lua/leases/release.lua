--@ core
-- Give a named lease up, if it is still this one. ARGV: name, owner, token.
local where = key('lease:', ARGV[1])
local held = call('HMGET', where, 'owner', 'token')
if held[1] ~= ARGV[2] or held[2] ~= ARGV[3] then
  return 0
end
return call('HDEL', where, 'owner', 'expires_at') > 0 and 1 or 0
