--@ governed/source_rows
-- Give no permit for a while. ARGV: see source_rows; then until when or '', actor, reason.
local before = tell_stand()
local source = get_source()
if ARGV[4] == '' then
  call('HSET', where, 'enabled', '0')
else
  -- The breaker's own pause is not cut short; under an operator's longer one its last fault says when it ends.
  local by_breaker = 0
  if is_broken(source) and source.paused_until ~= source.held_until then
    by_breaker = source.paused_until or 0
  elseif is_broken(source) then
    by_breaker = (tonumber(call('HGET', where, 'last_failure_at')) or -source.rule[PAUSE]) + source.rule[PAUSE]
  end
  local ends = math.max(tonumber(ARGV[4]), by_breaker)
  call('HSET', where, 'held_until', ARGV[4], 'paused_until', text(ends))
end
record_change('SOURCE_PAUSED', { actor = ARGV[5], reason = ARGV[6] }, before)
return end_source_move()
