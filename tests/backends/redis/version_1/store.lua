--@ core jobs
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
