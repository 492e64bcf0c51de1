-- All keys begin with KEYS[1], whose braces keep them in one hash slot. Shared by the scripts beside this one.
local tag = KEYS[1]
local ages, ends, refs, sizes, total = tag .. ':ages', tag .. ':ends', tag .. ':refs', tag .. ':sizes', tag .. ':total'

local function page_key(slot) return tag .. ':page:' .. slot end
local function body_key(digest) return tag .. ':body:' .. digest end

-- The clock of the cache, in microseconds; tests add to it.
local function read_clock()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2] + tonumber(redis.call('GET', tag .. ':ahead') or 0)
end

-- Whole numbers of sixteen digits, which Lua's own form would round.
local function whole(number) return string.format('%.0f', number) end

local function let_go(digest)
    if redis.call('HINCRBY', refs, digest, -1) > 0 then return end
    redis.call('HDEL', refs, digest)
    redis.call('DECRBY', total, redis.call('HGET', sizes, digest) or 0)
    redis.call('HDEL', sizes, digest)
    redis.call('DEL', body_key(digest))
end

local function forget(slot)
    local found = redis.call('HMGET', page_key(slot), 'body', 'size')
    redis.call('ZREM', ages, slot)
    redis.call('ZREM', ends, slot)
    if not found[1] then return end
    redis.call('DEL', page_key(slot))
    redis.call('DECRBY', total, found[2])
    let_go(found[1])
end

local function set_times(slot, fresh, stale)
    local now = read_clock()
    local fresh_until = now + fresh
    redis.call('HSET', page_key(slot), 'stored_at', whole(now), 'fresh_until', whole(fresh_until))
    redis.call('ZADD', ages, whole(now), slot)
    redis.call('ZADD', ends, whole(fresh_until + stale), slot)
end
