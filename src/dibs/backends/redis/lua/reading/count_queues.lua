--@ core jobs walk
-- Count jobs by queue and state. ARGV: see walk.
local counts, answer = {}, {}
local position = walk(function(_, _, state, fixed)
  local name = state .. ' ' .. fixed[QUEUE]
  counts[name] = (counts[name] or 0) + 1
end)
for name, count in pairs(counts) do
  answer[#answer + 1] = name
  answer[#answer + 1] = count
end
return { answer, position }
