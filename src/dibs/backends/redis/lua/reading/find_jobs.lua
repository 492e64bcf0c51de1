--@ core rows
-- Read jobs by id. ARGV: the ids.
local rows = {}
for index, id in ipairs(ARGV) do
  rows[index] = read_row(id)
end
return rows
