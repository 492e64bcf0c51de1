return {redis.call('ZCARD', ages), redis.call('HLEN', sizes), tonumber(redis.call('GET', total) or 0)}
