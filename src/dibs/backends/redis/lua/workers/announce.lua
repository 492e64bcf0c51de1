--@ core
-- Show or renew a worker's card. ARGV: worker, card, ttl. One that lapsed begins anew.
local cards, ends = key('worker_cards'), key('worker_ends')
local ends_at = call('ZSCORE', ends, ARGV[1])
local started_at = text(now)
if ends_at and tonumber(ends_at) > now then
  local known = call('HGET', key('worker_starts'), ARGV[1])
  started_at = known or started_at
end
call('HSET', cards, ARGV[1], ARGV[2])
call('HSET', key('worker_starts'), ARGV[1], started_at)
call('HSET', key('worker_seen'), ARGV[1], text(now))
call('ZADD', ends, text(now + ARGV[3]), ARGV[1])
return 1
