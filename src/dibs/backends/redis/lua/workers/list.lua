--@ core
-- Read the cards that are fresh: card, since when, last seen.
local found = {}
for _, worker in ipairs(call('ZRANGEBYSCORE', key('worker_ends'), '(' .. text(now), '+inf')) do
  found[#found + 1] = {
    call('HGET', key('worker_cards'), worker),
    call('HGET', key('worker_starts'), worker),
    call('HGET', key('worker_seen'), worker),
  }
end
return found
