--@ seals/tail
-- Forget a tenant's sealed entries, a bounded number a call. ARGV: tenant, position through which, most.
-- Answers how many, and whether there are more. An entry of the stream goes when all that it tells of is forgotten.
local through, most = tonumber(ARGV[2]), tonumber(ARGV[3])
local where = key('seals:', ARGV[1])
local seals = call('ZRANGEBYSCORE', where, '-inf', text(through), 'WITHSCORES', 'LIMIT', 0, most)
local count = 0

local function forget(sequence)
  local entry = read_entry_at(sequence)
  if not entry or call('ZADD', key('forgotten'), text(sequence), text(sequence)) == 0 then
    return
  end
  count = count + 1
  local first, last = first_of(entry), last_of(entry)
  if call('ZCOUNT', key('forgotten'), text(first), text(last)) == last - first + 1 then
    call('XDEL', key('audit'), entry[1])
    call('ZREMRANGEBYSCORE', key('forgotten'), text(first), text(last))
  end
end

for index = 1, #seals, 2 do
  forget(tonumber(string.match(seals[index], '^%d+')))
end

local reached = #seals == 2 * most and math.min(tonumber(seals[#seals]), through) or through
call('ZREMRANGEBYSCORE', where, '-inf', '(' .. text(reached))
if call('EXISTS', where) == 0 then
  call('HDEL', key('seal_heads'), ARGV[1])
end
return { count, reached < through and 1 or 0 }
