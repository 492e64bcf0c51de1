--@ core
-- A step is taken once, whoever comes first. ARGV: its version, the oldest code that can live with it.
if number(call('HGET', key('schema'), 'version')) >= tonumber(ARGV[1]) then
  return 0
end
call('HSET', key('schema'), 'version', ARGV[1], 'oldest_code', ARGV[2], 'at:' .. ARGV[1], stamp)
