-- Adds to the counts of today: source, hits, revalidated, misses, and so on.
local key = tag .. ':tally:' .. whole(math.floor(read_clock() / 86400000000))
for place = 1, #ARGV, 4 do
    for number, kind in ipairs({'hits', 'revalidated', 'misses'}) do
        if tonumber(ARGV[place + number]) > 0 then
            redis.call('HINCRBY', key, kind .. ':' .. ARGV[place], ARGV[place + number])
        end
    end
end
redis.call('EXPIRE', key, 172800)
return 1
