--@ governed/source_rows
-- Keep what is declared of a source. ARGV: see source_rows; then whether it is enabled, actor, reason.
local before = tell_rule()
keep_rule(ARGV[2], ARGV[3], ARGV[4] == '1')
local detail = '{"before":' .. before .. ',"after":' .. tell_rule() .. '}'
record_of_source('SOURCE_DECLARED', { actor = ARGV[5], reason = ARGV[6] }, detail)
return end_source_move()
