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
