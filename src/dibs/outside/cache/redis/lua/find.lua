-- slot: the page, its body, and the time.
local now = read_clock()
local kept_until = redis.call('ZSCORE', ends, ARGV[1])
if not kept_until or tonumber(kept_until) <= now then return false end
local page = redis.call('HMGET', page_key(ARGV[1]), 'url', 'status', 'headers', 'body', 'stored_at', 'fresh_until')
if not page[4] then return false end
local content = redis.call('GET', body_key(page[4]))
if not content then return false end
return {page[1], page[2], page[3], page[4], page[5], page[6], content, whole(now)}
