--@ core
-- Keep how far running jobs are. ARGV: for each its member in `running` and the value.
local answers = {}

for index = 1, #ARGV, 2 do
  local is_held = call('ZSCORE', RUNNING, ARGV[index])
  answers[#answers + 1] = is_held and 1 or 0
  if is_held then
    call('HSET', job_key(string.sub(ARGV[index], 17)), 'progress', ARGV[index + 1])
  end
end

return answers
