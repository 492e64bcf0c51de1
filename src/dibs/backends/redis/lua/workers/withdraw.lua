--@ core
-- Take a worker's card away, and those that lapsed long ago. ARGV: worker, how long ago.
local ends = key('worker_ends')
local gone = call('ZRANGEBYSCORE', ends, '-inf', text(now - ARGV[2]), 'LIMIT', 0, 1000)
gone[#gone + 1] = ARGV[1]
for _, worker in ipairs(gone) do
  call('ZREM', ends, worker)
  for _, part in ipairs({ 'worker_cards', 'worker_starts', 'worker_seen' }) do
    call('HDEL', key(part), worker)
  end
end
return #gone
