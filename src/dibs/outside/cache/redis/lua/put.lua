-- slot, tenant, source, url, status, headers, body's digest, content, size, fresh, stale, cap
local slot, digest, content, size = ARGV[1], ARGV[7], ARGV[8], ARGV[9]
-- Written anew each time: the one that is there may have been damaged, or evicted by Redis itself.
redis.call('SET', body_key(digest), content)
if redis.call('HINCRBY', refs, digest, 1) == 1 then
    redis.call('HSET', sizes, digest, #content)
    redis.call('INCRBY', total, #content)
end
forget(slot)
redis.call('HSET', page_key(slot), 'tenant', ARGV[2], 'source', ARGV[3], 'url', ARGV[4], 'status', ARGV[5],
    'headers', ARGV[6], 'body', digest, 'size', size)
redis.call('INCRBY', total, size)
set_times(slot, tonumber(ARGV[10]), tonumber(ARGV[11]))

-- At most so many at once: a script keeps everybody waiting.
for _ = 1, 1000 do
    if tonumber(redis.call('GET', total) or 0) <= tonumber(ARGV[12]) then break end
    local oldest = redis.call('ZRANGE', ages, 0, 0)[1]
    if not oldest then break end
    forget(oldest)
end
return 1
