--@ core
-- Tell which instants have not fired yet. ARGV: name, then for each the instant and the id of its job.
local answers = {}
for index = 2, #ARGV, 2 do
  local has_fired = call('ZCOUNT', key('fires:', ARGV[1]), ARGV[index], ARGV[index]) > 0
  local is_known = has_fired or call('EXISTS', job_key(ARGV[index + 1])) == 1
  answers[#answers + 1] = is_known and 0 or 1
end
return answers
