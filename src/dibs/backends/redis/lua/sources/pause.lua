--@ governed/source_rows
-- Give no permit for a while. ARGV: see source_rows; then until when or '', actor, reason.
local before = tell_stand()
get_source()
if ARGV[4] == '' then
  call('HSET', where, 'enabled', '0')
else
  call('HSET', where, 'paused_until', ARGV[4])
end
record_change('SOURCE_PAUSED', { actor = ARGV[5], reason = ARGV[6] }, before)
return end_source_move()
