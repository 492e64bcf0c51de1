--@ seals/tail
-- Add seals of one tenant right behind its last one. ARGV: tenant, first position, then for each its entry's number and
-- its hash. `seals:<tenant>` has them by position.
local tenant, position = ARGV[1], tonumber(ARGV[2])
local mark = read_mark()
local head = call('HGET', key('seal_heads'), tenant)

if position ~= (head and tonumber(string.match(head, '^%d+')) or 0) + 1 then
  return 0
end
for index = 3, #ARGV, 2 do
  if is_sealed(tonumber(ARGV[index]), mark) then
    return 0
  end
end

for index = 3, #ARGV, 2 do
  local facts = ARGV[index] .. ' ' .. ARGV[index + 1]
  call('ZADD', key('seals:', tenant), position, facts)
  call('ZADD', key('sealed'), ARGV[index], ARGV[index])
  call('HSET', key('seal_heads'), tenant, text(position) .. ' ' .. facts)
  position = position + 1
end

-- The mark moves on over all that is sealed without a gap; what is not in the stream any more was sealed, and forgotten.
local function advance()
  repeat
    local page = call('XRANGE', key('audit'), begin_behind(mark), '+', 'COUNT', 100)
    for _, entry in ipairs(page) do
      for sequence = math.max(first_of(entry), mark + 1), last_of(entry) do
        if not is_sealed(sequence, mark) then
          return
        end
        mark = sequence
      end
    end
  until #page < 100
end

advance()
call('SET', key('sealed_through'), text(mark))
call('ZREMRANGEBYSCORE', key('sealed'), '-inf', text(mark))
return 1
