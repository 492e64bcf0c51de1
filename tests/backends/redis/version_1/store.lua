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

-- Who holds a unique key. `held:` has the unfinished jobs of a key, `key:` all of them, by the order of storing.
local function latest_where(zset, fits)
  local from = 0
  repeat
    local ids = call('ZREVRANGE', zset, from, from + 9)
    for _, id in ipairs(ids) do
      if fits(id) then
        return id
      end
    end
    from = from + 10
  until #ids < 10
  return nil
end

local function find_rival(name, hold, window)
  if hold == 'window' then
    return latest_where(key('key:', name), function(id)
      return number(call('HGET', job_key(id), 'created_at')) > now - window
    end)
  end
  return latest_where(key('held:', name), function(id)
    return hold ~= 'pending' or call('HGET', job_key(id), 'state') == 'pending'
  end)
end

-- A job as readers get it; the order is that of `rows.py`. When a lease ends stands only in `running`.
local function read_row(id)
  local row = call('HMGET', job_key(id), 'fixed', 'input', 'state', 'priority', 'run_at', 'created_at', 'seq',
    'token', 'lock', 'heartbeat_at', 'started_at', 'finished_at', 'attempts', 'deaths', 'cost', 'output', 'error',
    'progress')
  if not row[1] then
    return false
  end
  row[19] = row[3] == 'running' and call('ZSCORE', RUNNING, string.format('%016.0f', row[8]) .. id)
  row[20] = id
  return row
end

-- The jobs to store, from ARGV[5] on: three arguments each.
local FIRST = 5
local ID, LANE, TENANT_NAME, PRIORITY, RUN_AT, KEY_NAME = 1, 2, 3, 4, 5, 6
local jobs, keys = {}, {}

for index = FIRST, #ARGV, 3 do
  local job = cmsgpack.unpack(ARGV[index])
  job.fixed, job.input = ARGV[index + 1], ARGV[index + 2]
  jobs[#jobs + 1] = job
  keys[#keys + 1] = job_key(job[ID])
end

-- A script does not roll back: every id is looked at before the first write.
local function find_known_id()
  for from = 1, #keys, 5000 do
    local upto = math.min(from + 4999, #keys)
    if call('EXISTS', unpack(keys, from, upto)) > 0 then
      for index = from, upto do
        if call('EXISTS', keys[index]) == 1 then
          return jobs[index][ID]
        end
      end
    end
  end
  return nil
end

--@ core jobs lines rivals rows new_jobs
-- Store jobs as pending, all or none. ARGV: delay or -1, hold, window, on_conflict, then for each job
-- what the script needs of it, what never changes in it, and its input.
local delay, hold, window, on_conflict = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]
local active, answers = {}, {}

local known = find_known_id()
if known then
  return { 'duplicate', known }
end

local seq = call('INCRBY', key('seq'), #jobs) - #jobs

local function due_at(job)
  if delay >= 0 then
    return now + delay
  end
  return job[RUN_AT] or now
end

local function add(job, where)
  seq = seq + 1
  local run_at = due_at(job)
  call('HSET', where, 'fixed', job.fixed, 'input', job.input, 'state', 'pending', 'priority', job[PRIORITY],
    'run_at', text(run_at), 'created_at', stamp, 'seq', text(seq))
  active[#active + 1] = seq
  active[#active + 1] = job[ID]
  line_up(job[ID], job[LANE], job[TENANT_NAME], place(job[PRIORITY], seq), run_at)
  if job[KEY_NAME] then
    call('ZADD', key('key:', job[KEY_NAME]), seq, job[ID])
    call('ZADD', key('held:', job[KEY_NAME]), seq, job[ID])
    write_lines()
  end
end

local function replace(rival, job)
  local run_at = due_at(job)
  leave_line(rival)
  call('HSET', job_key(rival.id), 'input', job.input, 'run_at', text(run_at), 'priority', job[PRIORITY])
  rival.priority = job[PRIORITY]
  if rival.state == 'retryable' then
    call('ZADD', key('retryable'), rival.seq, rival.id)
  end
  line_up_job(rival, run_at)
  write_lines()
end

for index, job in ipairs(jobs) do
  local rival_id = job[KEY_NAME] and find_rival(job[KEY_NAME], hold, window)
  if not rival_id then
    add(job, keys[index])
  elseif on_conflict == 'keep' then
    answers[index] = 0
  else
    local rival = load_job(rival_id)
    if on_conflict == 'replace' and (rival.state == 'pending' or rival.state == 'retryable') then
      replace(rival, job)
    end
    answers[index] = read_row(rival_id)
  end
  if hold ~= '' then
    answers[index] = answers[index] or 1
  end
end

send('ZADD', ACTIVE, active)
write_lines()
tell_queues()
return { 'stored', now, answers }
