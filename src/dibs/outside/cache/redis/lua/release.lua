-- slot, owner
local key = tag .. ':flight:' .. ARGV[1]
if redis.call('HGET', key, 'owner') == ARGV[2] then redis.call('DEL', key) end
return 1
