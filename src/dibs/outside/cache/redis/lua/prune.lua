-- Looks at some pages, those that end first first: offset, how many, how many may go, expired only, source, tenant, dry.
local bound = ARGV[4] == '1' and whole(read_clock()) or '+inf'
local looked = redis.call('ZRANGE', ends, '-inf', bound, 'BYSCORE', 'LIMIT', ARGV[1], ARGV[2])
local gone = 0
for place, slot in ipairs(looked) do
    if gone >= tonumber(ARGV[3]) then return {place - 1, gone} end
    local found = redis.call('HMGET', page_key(slot), 'source', 'tenant')
    if (ARGV[5] == '' or found[1] == ARGV[5]) and (ARGV[6] == '' or found[2] == ARGV[6]) then
        if ARGV[7] ~= '1' then forget(slot) end
        gone = gone + 1
    end
end
return {#looked, gone}
