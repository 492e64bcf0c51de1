--@ governed/source_rows
-- Enable a source, end its pause and its wait, close its breaker. ARGV: see source_rows; then actor, reason.
local before = tell_stand()
get_source()
call('HSET', where, 'enabled', '1', 'failure_streak', 0, 'lone_probe', 0)
call('HDEL', where, 'paused_until', 'held_until', 'limited_until')
record_change('SOURCE_RESUMED', { actor = ARGV[4], reason = ARGV[5] }, before)
return end_source_move()
