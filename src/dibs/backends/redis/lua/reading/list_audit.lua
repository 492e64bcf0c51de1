--@ core
-- Read a piece of the log, the newest first, and which numbers in it were forgotten. ARGV: where to begin, most.
local page = call('XREVRANGE', key('audit'), ARGV[1], '-', 'COUNT', ARGV[2])
if not page[1] then
  return { page, {} }
end
local first = string.match(page[#page][1], '^%d+')
return { page, call('ZRANGEBYSCORE', key('forgotten'), first, '+inf') }
