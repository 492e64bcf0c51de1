--@ core walk
-- Count jobs by state. ARGV: see walk.
local counts, answer = {}, {}
local position = walk(function(_, _, state)
  counts[state] = (counts[state] or 0) + 1
end)
for state, count in pairs(counts) do
  answer[#answer + 1] = state
  answer[#answer + 1] = count
end
return { answer, position }
