return redis.call('HGETALL', tag .. ':tally:' .. whole(math.floor(read_clock() / 86400000000)))
