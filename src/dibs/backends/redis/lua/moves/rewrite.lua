--@ core
-- Put the same payload in another form where it still stands. ARGV: for each the id, the field, before and after.
local answers = {}

local function rewrite_history(id, before, after)
  local history, moved = key('attempts:', id), 0
  for index, packed in ipairs(call('LRANGE', history, 0, -1)) do
    local attempt = cmsgpack.unpack(packed)
    if attempt[6] == before then
      attempt[6] = after
      call('LSET', history, index - 1, cmsgpack.pack(attempt))
      moved = 1
    end
  end
  return moved
end

for index = 1, #ARGV, 4 do
  local id, field, before, after = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3]
  local moved = field == 'error' and rewrite_history(id, before, after) or 0
  if call('HGET', job_key(id), field) == before then
    call('HSET', job_key(id), field, after)
    moved = 1
  end
  answers[#answers + 1] = moved
end

return answers
