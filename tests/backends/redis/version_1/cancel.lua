-- Frozen: what code of schema version 1 sends. Never edit it; it shows that such code still fits.
-- Every key of a namespace begins with its tag, {namespace}, so that all of them live in one hash slot.
local tag = KEYS[1]
local call = redis.call
local RUNNING = tag .. ':running'
local ACTIVE = tag .. ':active'

local function key(name, rest)
  return tag .. ':' .. name .. (rest or '')
end

local function job_key(id)
  return tag .. ':job:' .. id
end

-- Lua writes large numbers with 14 digits, and Redis may write them as 1e+15: neither may reach a field.
local function text(number)
  return string.format('%.0f', number)
end

local function number(value)
  return tonumber(value or 0)
end

local function read_clock()
  local time = call('TIME')
  return time[1] * 1000000 + time[2] + number(call('GET', key('clock_offset')))
end

local now = read_clock()
local stamp = text(now)

-- A Lua call takes some 8,000 values at most; the chunk is even, so that pairs stay together.
local function send(command, where, values, first_option)
  for from = 1, #values, 5000 do
    local upto = math.min(from + 4999, #values)
    if first_option then
      call(command, where, first_option, unpack(values, from, upto))
    else
      call(command, where, unpack(values, from, upto))
    end
  end
end

-- What never changes in a job is packed into one field: tenant, queue, type, retries, key, limits, source, parent.
local TENANT, QUEUE, JOB_TYPE, MAX_RETRIES, UNIQUE_KEY = 1, 2, 3, 4, 5

local function load_job(id)
  local found = call('HMGET', job_key(id), 'fixed', 'state', 'priority', 'seq', 'token', 'run_at',
    'attempts', 'deaths', 'cost', 'lock', 'created_at')
  if not found[1] then
    return nil
  end
  return {
    id = id, fixed = cmsgpack.unpack(found[1]), state = found[2], priority = tonumber(found[3]),
    seq = tonumber(found[4]), token = number(found[5]), run_at = tonumber(found[6]),
    attempts = number(found[7]), deaths = number(found[8]), cost = number(found[9]),
    lock = found[10], created_at = tonumber(found[11]),
  }
end

local function lane_of(fixed)
  return fixed[QUEUE] .. '\31' .. fixed[JOB_TYPE]
end

local function unique_name(fixed)
  return fixed[TENANT] .. '\31' .. fixed[JOB_TYPE] .. '\31' .. fixed[UNIQUE_KEY]
end

-- The lock is '<locked_at> <worker>'.
local function worker_of(job)
  return job.lock and string.sub(job.lock, string.find(job.lock, ' ', 1, true) + 1) or ''
end

local function locked_at_of(job)
  return job.lock and tonumber(string.match(job.lock, '^%d+')) or now
end

local function running_member(token, id)
  return string.format('%016.0f', token) .. id
end

local function next_token()
  return call('INCR', key('token'))
end

-- Where waiting jobs stand: in the line of their lane when due, in `later` until then.
-- A place in a line is higher priority first, then stored first; exact in a double for 2^42 jobs.
local lines, heads, line_keys, waiting_later, woken = {}, {}, {}, {}, {}

local function place(priority, seq)
  return (1000 - priority) * 4398046511104 + seq
end

local function line_key(lane)
  return tag .. ':ready:' .. lane
end

local function line_up(id, lane, tenant, position, run_at)
  if run_at > now then
    waiting_later[#waiting_later + 1] = run_at
    waiting_later[#waiting_later + 1] = id
    return
  end
  local line = lines[lane]
  if not line then
    line = {}
    lines[lane] = line
    heads[lane] = position
  end
  line[#line + 1] = position
  line[#line + 1] = id .. '\31' .. tenant
  if position < heads[lane] then
    heads[lane] = position
  end
end

local function line_up_job(job, run_at)
  line_up(job.id, lane_of(job.fixed), job.fixed[TENANT], place(job.priority, job.seq), run_at)
end

-- `lanes` holds for each lane a place at or before its first job, so that a claim opens few lanes.
local function write_lines()
  for lane, line in pairs(lines) do
    send('ZADD', line_key(lane), line)
    call('ZADD', key('lanes'), 'LT', heads[lane], lane)
    woken[string.match(lane, '^[^\31]*')] = true
  end
  send('ZADD', key('later'), waiting_later)
  lines, heads, waiting_later = {}, {}, {}
end

-- A user without the right to publish must not end a script that has written: notices may be lost.
local function tell_queues()
  for queue in pairs(woken) do
    redis.pcall('PUBLISH', key('notices'), queue)
  end
end

local function leave_line(job)
  call('ZREM', line_key(lane_of(job.fixed)), job.id .. '\31' .. job.fixed[TENANT])
  call('ZREM', key('later'), job.id)
  if job.state == 'retryable' then
    call('ZREM', key('retryable'), job.id)
  end
end

-- The counter is read at the first entry and written after the last one.
local sequence = nil

local function record(action, job, actor, reason, detail)
  sequence = (sequence or number(call('GET', key('audit_seq')))) + 1
  local id, subject, token = text(sequence) .. '-0', 'job:' .. job.id, text(job.token)
  if reason or detail then
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token, 'reason', reason or '', 'detail', detail or '')
  else
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token)
  end
end

local function write_audit()
  if sequence then
    call('SET', key('audit_seq'), text(sequence))
  end
end

-- The fence: a running job has one member in `running`, made of its token and its id. Who can take that very
-- member away held the job; the state and the token need no second look.
local leaving, done, finished = {}, {}, {}

local function take_held(member)
  if call('ZREM', RUNNING, member) == 0 then
    return nil
  end
  return load_job(string.sub(member, 17))
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

-- Move unfinished jobs to cancelled, by an operator. ARGV: actor, reason, then the ids.
local IS_FINAL = { succeeded = true, failed = true, cancelled = true }
local answers = {}

local function cancel_job(job)
  if job.state == 'running' then
    call('ZREM', RUNNING, running_member(job.token, job.id))
    end_attempt(job, 'cancelled')
  else
    leave_line(job)
  end
  job.token = next_token()
  finish(job, 'cancelled', 'token', text(job.token))
  record('JOB_CANCELLED', job, ARGV[1], ARGV[2], '{"before":"' .. job.state .. '"}')
  return 'cancelled'
end

for index = 3, #ARGV do
  local job = load_job(ARGV[index])
  if not job then
    answers[index - 2] = 'missing'
  elseif IS_FINAL[job.state] then
    answers[index - 2] = 'already_final'
  else
    answers[index - 2] = cancel_job(job)
  end
end

write_ends()
write_audit()
return answers
