-- slot, headers, size, fresh, stale
local before = redis.call('HGET', page_key(ARGV[1]), 'size')
if not before then return 0 end
redis.call('HSET', page_key(ARGV[1]), 'headers', ARGV[2], 'size', ARGV[3])
redis.call('INCRBY', total, ARGV[3] - before)
set_times(ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5]))
return 1
