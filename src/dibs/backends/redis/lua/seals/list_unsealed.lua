--@ seals/tail
-- Read a piece of the tail. ARGV: the id to go on behind or '', most entries of the stream. Answers the mark, the
-- numbers behind it that are sealed within the piece, and the piece.
local mark = read_mark()
local from = ARGV[1] == '' and begin_behind(mark) or '(' .. ARGV[1]
local page = call('XRANGE', key('audit'), from, '+', 'COUNT', ARGV[2])
local sealed = {}
if page[1] then
  sealed = call('ZRANGEBYSCORE', key('sealed'), text(first_of(page[1])), text(last_of(page[#page])))
end
return { text(mark), sealed, page }
