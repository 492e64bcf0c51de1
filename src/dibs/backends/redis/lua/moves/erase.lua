--@ core jobs audit
-- Forget finished jobs by their ids, by an operator. ARGV: actor, reason, then the ids.
local IS_FINAL = { succeeded = true, failed = true, cancelled = true }
local answers = {}

local function erase(job)
  call('DEL', job_key(job.id), key('attempts:', job.id))
  call('ZREM', key('done:', job.state), job.id)
  call('ZREM', key('finished:', job.state), running_member(job.seq, job.id))
  if job.fixed[UNIQUE_KEY] then
    call('ZREM', key('key:', unique_name(job.fixed)), job.id)
  end
  -- A queue that nobody asks for any more would keep its name.
  local lane = lane_of(job.fixed)
  if call('EXISTS', line_key(lane)) == 0 then
    call('ZREM', key('lanes'), lane)
  end
  record('JOB_ERASED', job, ARGV[1], ARGV[2])
  return 1
end

for index = 3, #ARGV do
  local job = load_job(ARGV[index])
  answers[index - 2] = job and IS_FINAL[job.state] and erase(job) or 0
end

write_audit()
return answers
