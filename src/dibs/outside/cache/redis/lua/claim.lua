-- slot, owner, lease in microseconds. Ends by the cache's clock, and by Redis' own in any case.
local key = tag .. ':flight:' .. ARGV[1]
local now = read_clock()
local held = redis.call('HMGET', key, 'owner', 'ends_at')
if held[1] and held[1] ~= ARGV[2] and tonumber(held[2]) > now then return 0 end
redis.call('HSET', key, 'owner', ARGV[2], 'ends_at', whole(now + ARGV[3]))
redis.call('PEXPIRE', key, math.ceil(ARGV[3] / 1000))
return 1
