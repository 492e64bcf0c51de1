--@ seals/tail
-- Count the tail. ARGV: tenant or '', the id to go on behind or '', most entries of the stream to look at.
-- Answers how many, and where to go on or false.
local tenant, most = ARGV[1], tonumber(ARGV[3])
local mark, last, count = read_mark(), number(call('GET', key('audit_seq'))), 0
if tenant == '' then
  return { last - mark - call('ZCOUNT', key('sealed'), '(' .. text(mark), text(last)), false }
end

local from = ARGV[2] == '' and begin_behind(mark) or '(' .. ARGV[2]
local page = call('XRANGE', key('audit'), from, '+', 'COUNT', most)
for _, entry in ipairs(page) do
  if find_field(entry[2], 'tenant') == tenant then
    for sequence = first_of(entry), last_of(entry) do
      count = count + (is_sealed(sequence, mark) and 0 or 1)
    end
  end
end
return { count, #page == most and page[most][1] or false }
