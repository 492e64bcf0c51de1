--@ core rows
-- Read a job and its ended attempts as one. ARGV: the id.
return { read_row(ARGV[1]), call('LRANGE', key('attempts:', ARGV[1]), 0, -1) }
