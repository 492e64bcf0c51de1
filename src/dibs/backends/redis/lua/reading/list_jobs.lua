--@ core rows walk
-- Read jobs, the one stored last first. ARGV: see walk; then the most to give.
local limit = tonumber(ARGV[5])
local rows = {}
local position = walk(function(id)
  rows[#rows + 1] = read_row(id)
  return #rows == limit
end)
return { rows, position }
