--@ core
-- Let running jobs lapse later. ARGV: duration, then the members in `running`.
local until_then = now + ARGV[1]
local answers = {}

for index = 2, #ARGV do
  local is_held = call('ZSCORE', RUNNING, ARGV[index])
  answers[index - 1] = is_held and 1 or 0
  if is_held then
    call('ZADD', RUNNING, until_then, ARGV[index])
    call('HSET', job_key(string.sub(ARGV[index], 17)), 'heartbeat_at', stamp)
  end
end

return answers
