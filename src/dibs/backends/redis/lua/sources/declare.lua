--@ governed/source_rows
-- Keep what is declared of a source. ARGV: see source_rows; then whether it is enabled ('': as it was), actor, reason,
-- and the rule that is to be replaced as tell_rule tells it, or '' for any.
local before, source = tell_rule(), find_source(name)
if ARGV[7] ~= '' and before ~= ARGV[7] then
  return {}
end
keep_rule(ARGV[2], ARGV[3], ARGV[4] == '1' or (ARGV[4] == '' and (not source or source.is_enabled)))

-- Ahead by as many permits as before, which take another time now; at most by a burst.
local function keep_pace(old, new)
  if not source.next_free_at or old[INTERVAL] == 0 or (old[INTERVAL] == new[INTERVAL] and old[BURST] == new[BURST]) then
    return
  end
  local ahead = math.ceil((next_free(source) - now) / old[INTERVAL] * new[INTERVAL])
  call('HSET', where, 'next_free_at', text(now + math.min(ahead, new[INTERVAL] * new[BURST])))
end

if source then
  keep_pace(source.rule, cmsgpack.unpack(ARGV[2]))
end
local detail = '{"before":' .. before .. ',"after":' .. tell_rule() .. '}'
record_of_source('SOURCE_DECLARED', { actor = ARGV[5], reason = ARGV[6] }, detail)
return end_source_move()
