--@ core jobs endings
--@ core jobs lines audit ends
-- Move running jobs to succeeded. ARGV: for each its member in `running`, its output and its cost.
local answers = {}

-- As load_job, but only what a success needs: this is the hottest of all moves.
local function load_held(member)
  if call('ZREM', RUNNING, member) == 0 then
    return nil
  end
  local id = string.sub(member, 17)
  local found = call('HMGET', job_key(id), 'fixed', 'seq', 'lock', 'cost', 'attempts')
  return {
    id = id, token = tonumber(string.sub(member, 1, 16)), fixed = cmsgpack.unpack(found[1]),
    seq = tonumber(found[2]), lock = found[3], cost = found[4], attempts = found[5],
  }
end

for index = 1, #ARGV, 3 do
  local job = load_held(ARGV[index])
  answers[#answers + 1] = job and 1 or 0
  if job then
    local output, cost = ARGV[index + 1], ARGV[index + 2]
    if cost == '0' then
      finish(job, 'succeeded', 'output', output)
    else
      finish(job, 'succeeded', 'output', output, 'cost', text(number(job.cost) + cost))
    end
    if job.attempts then
      call('HDEL', job_key(job.id), 'error')
    end
    record('JOB_SUCCEEDED', job, worker_of(job))
  end
end

write_ends()
write_audit()
return answers
