--@ seals/tail
-- Read seals with their entries. ARGV: tenant, position to go on behind, most. Answers the seals with their positions,
-- the entries of the stream under them, and the numbers in these that were forgotten.
local seals = call('ZRANGEBYSCORE', key('seals:', ARGV[1]), '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local entries, known, forgotten = {}, {}, {}

for index = 1, #seals, 2 do
  local sequence = tonumber(string.match(seals[index], '^%d+') or 0)
  local entry = read_entry_at(sequence)
  if entry and not known[entry[1]] then
    known[entry[1]] = true
    entries[#entries + 1] = entry
  end
  if call('ZSCORE', key('forgotten'), text(sequence)) then
    forgotten[#forgotten + 1] = text(sequence)
  end
end
return { seals, entries, forgotten }
