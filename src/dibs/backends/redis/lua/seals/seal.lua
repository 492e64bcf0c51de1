--@ seals/tail
-- Add seals of one tenant right behind its last one. ARGV: tenant, first position, then for each its entry's number and
-- its hash. `seals:<tenant>` has them by position.
local ENTRIES_A_LOOK = 10
local tenant, position = ARGV[1], tonumber(ARGV[2])
local mark = read_mark()
local head = call('HGET', key('seal_heads'), tenant)
local has_apart = call('EXISTS', key('sealed')) == 1
local seals, sealed_here, apart, facts = {}, {}, {}, nil

if position ~= (head and tonumber(string.match(head, '^%d+')) or 0) + 1 then
  return 0
end
for index = 3, #ARGV, 2 do
  local sequence = tonumber(ARGV[index])
  if sequence <= mark or (has_apart and is_sealed(sequence, mark)) then
    return 0
  end
  sealed_here[sequence] = true
  facts = ARGV[index] .. ' ' .. ARGV[index + 1]
  seals[#seals + 1], seals[#seals + 2] = text(position), facts
  position = position + 1
end
send('ZADD', key('seals:', tenant), seals)
call('HSET', key('seal_heads'), tenant, text(position - 1) .. ' ' .. facts)

-- The mark moves on over all that is sealed without a gap; what is not in the stream any more was sealed, and forgotten.
local function advance()
  repeat
    local page = call('XRANGE', key('audit'), begin_behind(mark), '+', 'COUNT', ENTRIES_A_LOOK)
    for _, entry in ipairs(page) do
      for sequence = math.max(first_of(entry), mark + 1), last_of(entry) do
        if not sealed_here[sequence] and not (has_apart and is_sealed(sequence, mark)) then
          return
        end
        mark = sequence
      end
    end
  until #page < ENTRIES_A_LOOK
end

-- Only those before which others are not sealed yet are kept by their numbers.
local function keep_apart()
  for index = 3, #ARGV, 2 do
    if tonumber(ARGV[index]) > mark then
      apart[#apart + 1], apart[#apart + 2] = ARGV[index], ARGV[index]
    end
  end
  send('ZADD', key('sealed'), apart)
end

advance()
keep_apart()
call('SET', key('sealed_through'), text(mark))
if has_apart then
  call('ZREMRANGEBYSCORE', key('sealed'), '-inf', text(mark))
end
return 1
