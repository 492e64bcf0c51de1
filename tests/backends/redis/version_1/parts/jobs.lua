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

