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
