--@ governed/lanes governed/holders governed/spending
-- The fence: a running job has one member in `running`, made of its token and its id. Who can take that very
-- member away held the job; the state and the token need no second look.
local leaving, done, finished = {}, {}, {}

local function take_held(member)
  if call('ZREM', RUNNING, member) == 0 then
    return nil
  end
  local job = load_job(string.sub(member, 17))
  let_go(job.fixed, member)
  return job
end

local function list_of(lists, state)
  local list = lists[state]
  if not list then
    list = {}
    lists[state] = list
  end
  return list
end

local function end_attempt(job, outcome, error)
  call('RPUSH', key('attempts:', job.id), cmsgpack.pack({
    job.token, worker_of(job), locked_at_of(job), now, outcome, error or false,
  }))
end

local function finish(job, state, ...)
  call('HSET', job_key(job.id), 'state', state, 'finished_at', stamp, ...)
  leaving[#leaving + 1] = job.id
  local by_seq, by_time = list_of(done, state), list_of(finished, state)
  by_seq[#by_seq + 1] = job.seq
  by_seq[#by_seq + 1] = job.id
  by_time[#by_time + 1] = now
  by_time[#by_time + 1] = running_member(job.seq, job.id)
  if job.fixed[UNIQUE_KEY] then
    call('ZREM', key('held:', unique_name(job.fixed)), job.id)
  end
end

local function write_ends()
  send('ZREM', ACTIVE, leaving)
  for state, members in pairs(done) do
    send('ZADD', key('done:', state), members)
  end
  for state, members in pairs(finished) do
    send('ZADD', key('finished:', state), members)
  end
end

-- Put a job that is no longer running back in line. What `...` names is set beside the state.
local function put_back(job, state, run_at, ...)
  call('HDEL', job_key(job.id), 'lock', 'heartbeat_at')
  call('HSET', job_key(job.id), 'state', state, 'run_at', text(run_at), ...)
  if state == 'retryable' then
    call('ZADD', key('retryable'), job.seq, job.id)
  end
  line_up_job(job, run_at)
end
