-- Where the jobs begin among the arguments.
local FIRST = 5

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

-- What every script must know of the namespace: how far its clock is moved, and whether anything is governed.
local known = call('MGET', key('clock_offset'), key('governing'))
local time = call('TIME')
local now = time[1] * 1000000 + time[2] + number(known[1])
local stamp = text(now)

-- The queues in which jobs may have become due. A user without the right to publish must not end a script that has
-- written: notices may be lost.
local woken = {}

local function tell_queues()
  for queue in pairs(woken) do
    redis.pcall('PUBLISH', key('notices'), queue)
  end
end

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

--@ core
-- What never changes in a job is packed into one field: tenant, queue, type, retries, keys, source, parent, cost.
local TENANT, QUEUE, JOB_TYPE, MAX_RETRIES, UNIQUE_KEY = 1, 2, 3, 4, 5
local CONCURRENCY_KEY, SOURCE, MAX_COST = 6, 7, 9

local function load_job(id)
  local found = call('HMGET', job_key(id), 'fixed', 'state', 'priority', 'seq', 'token', 'run_at',
    'attempts', 'deaths', 'lock', 'created_at')
  if not found[1] then
    return nil
  end
  return {
    id = id, fixed = cmsgpack.unpack(found[1]), state = found[2], priority = tonumber(found[3]),
    seq = tonumber(found[4]), token = number(found[5]), run_at = tonumber(found[6]),
    attempts = number(found[7]), deaths = number(found[8]), lock = found[9], created_at = tonumber(found[10]),
  }
end

local function lane_of(fixed)
  return fixed[QUEUE] .. '\31' .. fixed[JOB_TYPE]
end

local function line_key(lane)
  return tag .. ':ready:' .. lane
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

--@ core
-- Whether there is anything that could hold a job back, or was taken by one that runs. Where there is not, a script runs
-- no other line about it. `hooks` are what scripts of plain jobs call if there is; they are defined by the parts that
-- a script needs only then.
local is_governing, is_marked, hooks = known[2] ~= false, known[2] ~= false, {}

--@ jobs governed/asking
-- Where waiting jobs stand: in the line of their lane when due, in `later` until then.
-- A place in a line is higher priority first, then stored first; exact in a double for 2^42 jobs.
-- A governed job has a lane of more names, and that lane a place on a shelf; see governed/lanes.
local lines, heads, governed_lanes, waiting_later = {}, {}, {}, {}

local function place(priority, seq)
  return (1000 - priority) * 4398046511104 + seq
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
  local fixed, lane = job.fixed, nil
  if is_governing or fixed[SOURCE] or fixed[CONCURRENCY_KEY] then
    lane = hooks.find_governed_lane(fixed)
  end
  line_up(job.id, lane or lane_of(fixed), fixed[TENANT], place(job.priority, job.seq), run_at)
end

-- `lanes` holds for each lane a place at or before its first job, so that a claim opens few lanes.
local function write_lines()
  for lane, line in pairs(lines) do
    send('ZADD', line_key(lane), line)
    if governed_lanes[lane] then
      hooks.shelve(lane, heads[lane])
    else
      call('ZADD', key('lanes'), 'LT', heads[lane], lane)
    end
    woken[string.match(lane, '^[^\31]*')] = true
  end
  send('ZADD', key('later'), waiting_later)
  lines, heads, waiting_later = {}, {}, {}
end

local function leave_line(job)
  local member = job.id .. '\31' .. job.fixed[TENANT]
  local left = call('ZREM', line_key(lane_of(job.fixed)), member) + call('ZREM', key('later'), job.id)
  if left == 0 and is_governing then
    hooks.leave_governed_line(job.fixed, member)
  end
  if job.state == 'retryable' then
    call('ZREM', key('retryable'), job.id)
  end
end

--@ lines
-- The jobs to store, from ARGV[FIRST] on: three arguments each.
local ID, LANE, TENANT_NAME, PRIORITY, RUN_AT, KEY_NAME, IS_BOUND = 1, 2, 3, 4, 5, 6, 7
local jobs, keys = {}, {}

-- The job that another one replaces may be governed.
is_governing = is_governing or (ARGV[4] == 'replace' and ARGV[2] ~= '')
for index = FIRST, #ARGV, 3 do
  local job = cmsgpack.unpack(ARGV[index])
  job.fixed, job.input = ARGV[index + 1], ARGV[index + 2]
  is_governing = is_governing or job[IS_BOUND]
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

--@ core
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

--@ core
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

--@ new_jobs rivals rows
-- Storing jobs as pending. ARGV[1..4]: delay or -1, hold, window, on_conflict.
local delay, hold, window, on_conflict = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]
local active, seq = {}, nil

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
  local lane = is_governing and hooks.lane_of_new(job) or job[LANE]
  line_up(job[ID], lane, job[TENANT_NAME], place(job[PRIORITY], seq), run_at)
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

-- Answers for each job, where any has a unique key: 1 stored, 0 kept out, or the row of the one that was there.
local function add_all()
  local answers = {}
  seq = call('INCRBY', key('seq'), #jobs) - #jobs
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
  return answers
end

if is_governing then
--@ jobs governed/asking
-- The rules, each read when it is first asked for.
local GATE_EXPIRES, GATE_MODE = 3, 4
local MAX_RUNNING, TURN, DAILY, MONTHLY = 2, 3, 4, 5
local has_rules, known_rules = nil, {}

local function find_rule(name)
  if not is_governing then
    return nil
  end
  if has_rules == nil then
    has_rules = call('EXISTS', key('rules')) == 1
  end
  if not has_rules then
    return nil
  end
  local rule = known_rules[name]
  if rule == nil then
    local packed = call('HGET', key('rules'), name)
    rule = packed and cmsgpack.unpack(packed)
    known_rules[name] = rule
  end
  return rule or nil
end

local function is_fair(queue)
  local rule = find_rule('queue:' .. queue)
  return rule ~= nil and rule[2]
end

local function is_ruled(tenant)
  return find_rule('tenant:' .. tenant) ~= nil or find_rule('gate:tenant:' .. tenant) ~= nil
end

hooks.is_fair, hooks.is_ruled = is_fair, is_ruled

local function split_lane(lane)
  return string.match(lane, '^([^\31]*)\31([^\31]*)\31([^\31]*)\31([^\31]*)\31([^\31]*)$')
end

-- A key has its own limit, or that of its family: `account:` speaks for `account:42`.
local function key_limit(name)
  local family = string.match(name, '^[^:]*:')
  local rule = find_rule('key:' .. name) or (family and find_rule('key:' .. family))
  return rule and rule[MAX_RUNNING] or 1
end

-- Whoever writes the first rule, governed lane or holder says so; a claim that finds none of them any more takes it back.
local function mark_governing()
  if not is_marked then
    call('SET', key('governing'), 1)
    is_governing, is_marked = true, true
  end
end

--@ core
-- Whose turn it is in a fair queue. `turns:<queue>` keeps how far each tenant has come, `reached` how far the queue has.
-- Of the tenants that wait, those at or behind that point stand in `here:<queue>` by name, the others in `ahead:<queue>`.
local function reached_in(queue)
  return number(call('HGET', key('reached'), queue))
end

local function join_turns(queue, tenant)
  local turn = number(call('HGET', key('turns:', queue), tenant))
  if turn > reached_in(queue) then
    call('ZADD', key('ahead:', queue), text(turn), tenant)
  else
    call('ZADD', key('here:', queue), 0, tenant)
  end
  call('SADD', key('fair_queues'), queue)
end

local function leave_turns(queue, tenant)
  call('ZREM', key('ahead:', queue), tenant)
  call('ZREM', key('here:', queue), tenant)
  if call('EXISTS', key('ahead:', queue), key('here:', queue)) == 0 then
    call('SREM', key('fair_queues'), queue)
  end
end

-- Note that a tenant was given a job; `turn` is smaller for a heavier tenant.
local function take_turn(queue, tenant, turn)
  local before = reached_in(queue)
  local reached = math.max(number(call('HGET', key('turns:', queue), tenant)), before)
  call('HSET', key('turns:', queue), tenant, text(reached + turn))
  if reached > before then
    call('HSET', key('reached'), queue, text(reached))
    for _, other in ipairs(call('ZRANGEBYSCORE', key('ahead:', queue), '-inf', text(reached))) do
      call('ZADD', key('here:', queue), 0, other)
    end
    call('ZREMRANGEBYSCORE', key('ahead:', queue), '-inf', text(reached))
  end
end

-- A tenant that still waits stands elsewhere after its turn.
local function stand_anew(queue, tenant)
  if call('ZREM', key('here:', queue), tenant) + call('ZREM', key('ahead:', queue), tenant) > 0 then
    join_turns(queue, tenant)
  end
end

--@ governed/rules governed/turns
-- A governed lane stands on a shelf, by the place of its first job: on `open:<queue, type>` while nothing is known to
-- hold it back, on `behind:<thing>` while that thing does, in a fair queue always on `fair:<queue, tenant>`.
-- `shelf_of` tells where each lane stands that has jobs; `open` the first place of each open shelf, or one before it.
local function home_of(lane)
  local queue, job_type, tenant = split_lane(lane)
  if is_fair(queue) then
    return 'fair:' .. queue .. '\31' .. tenant
  end
  return 'open:' .. queue .. '\31' .. job_type
end

local function note_first(shelf, position)
  local kind, name = string.match(shelf, '^(%a+):(.*)$')
  if kind == 'open' then
    call('ZADD', key('open'), 'LT', position, name)
  elseif kind == 'fair' then
    join_turns(string.match(name, '^([^\31]*)\31(.*)$'))
  elseif call('ZSCORE', key('freed'), name) then
    call('ZADD', key('freed'), 'LT', position, name)
  end
end

local function put_on(shelf, lane, position)
  call('ZADD', key(shelf), position, lane)
  call('HSET', key('shelf_of'), lane, shelf)
  mark_governing()
  note_first(shelf, position)
end

local function take_off(shelf, lane)
  call('ZREM', key(shelf), lane)
  call('HDEL', key('shelf_of'), lane)
  if string.sub(shelf, 1, 5) == 'fair:' and call('EXISTS', key(shelf)) == 0 then
    leave_turns(string.match(shelf, '^fair:([^\31]*)\31(.*)$'))
  end
end

local function move_lane(lane, from, to, position)
  if from ~= to then
    take_off(from, lane)
  end
  put_on(to, lane, position)
end

-- Only a budget asks what the first job may cost: with another first job the lane must be looked at anew.
local function is_behind_budget(shelf)
  return string.sub(shelf, 1, 14) == 'behind:budget:'
end

-- Jobs were added to a lane, the first of them at `position`.
local function shelve(lane, position)
  local shelf = call('HGET', key('shelf_of'), lane)
  if not shelf then
    put_on(home_of(lane), lane, position)
  elseif call('ZADD', key(shelf), 'LT', 'CH', position, lane) == 1 then
    if is_behind_budget(shelf) then
      move_lane(lane, shelf, home_of(lane), position)
    else
      note_first(shelf, position)
    end
  end
end

-- The first job of a lane may have left it; gives the one that is first now, and its place.
local function settle(lane)
  local shelf = call('HGET', key('shelf_of'), lane)
  local first = call('ZRANGE', line_key(lane), 0, 0, 'WITHSCORES')
  if shelf and not first[1] then
    take_off(shelf, lane)
  elseif shelf and is_behind_budget(shelf) then
    move_lane(lane, shelf, home_of(lane), first[2])
  elseif shelf then
    call('ZADD', key(shelf), first[2], lane)
  end
  return first[1], tonumber(first[2])
end

hooks.shelve, hooks.settle = shelve, settle

--@ lines governed/shelves
-- Which jobs wait in governed lanes: those that more than a gate of their queue or type may hold back.
local function is_governed(queue, tenant, source, concurrency_key)
  return source or concurrency_key or (is_governing and (is_fair(queue) or is_ruled(tenant)))
end

local function name_lane(queue, job_type, tenant, source, concurrency_key)
  return table.concat({ queue, job_type, tenant, source or '', concurrency_key or '' }, '\31')
end

local function full_lane(fixed)
  return name_lane(fixed[QUEUE], fixed[JOB_TYPE], fixed[TENANT], fixed[SOURCE], fixed[CONCURRENCY_KEY])
end

local function find_governed_lane(fixed)
  if not is_governed(fixed[QUEUE], fixed[TENANT], fixed[SOURCE], fixed[CONCURRENCY_KEY]) then
    return nil
  end
  local lane = full_lane(fixed)
  governed_lanes[lane] = true
  return lane
end

local function leave_governed_line(fixed, member)
  local lane = full_lane(fixed)
  if call('ZREM', line_key(lane), member) == 1 then
    settle(lane)
  end
end

hooks.find_governed_lane, hooks.leave_governed_line = find_governed_lane, leave_governed_line

--@ new_jobs governed/lanes
-- A job that names a source or a concurrency key brings the name of its governed lane; others may be governed by rules.
local function lane_of_new(job)
  local lane = job[LANE]
  if not job[IS_BOUND] then
    local queue, job_type = string.match(lane, '^([^\31]*)\31(.*)$')
    if not is_governed(queue, job[TENANT_NAME]) then
      return lane
    end
    lane = name_lane(queue, job_type, job[TENANT_NAME])
  end
  governed_lanes[lane] = true
  return lane
end

hooks.lane_of_new = lane_of_new

end
--@ storing/from_fifth storing/adding ?storing/governed_jobs
-- Store jobs as pending, all or none. ARGV: delay or -1, hold, window, on_conflict, then for each job
-- what the script needs of it, what never changes in it, and its input.
local known = find_known_id()
if known then
  return { 'duplicate', known }
end

local answers = add_all()
tell_queues()
return { 'stored', now, answers }
