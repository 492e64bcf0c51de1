--@ core jobs
-- Lanes by the place of their first job: heap[1] is the lane with the most urgent one.
local heap = {}

local function sift_up()
  local at = #heap
  while at > 1 do
    local parent = math.floor(at / 2)
    if heap[parent].place <= heap[at].place then
      return
    end
    heap[parent], heap[at] = heap[at], heap[parent]
    at = parent
  end
end

local function sift_down()
  local at, size = 1, #heap
  while 2 * at <= size do
    local child = 2 * at
    if child < size and heap[child + 1].place < heap[child].place then
      child = child + 1
    end
    if heap[at].place <= heap[child].place then
      return
    end
    heap[at], heap[child] = heap[child], heap[at]
    at = child
  end
end

local function push_lane(lane)
  heap[#heap + 1] = lane
  sift_up()
end

local function pop_lane()
  heap[1] = heap[#heap]
  heap[#heap] = nil
  sift_down()
end

-- Bring due jobs from `later` into their lines, a bounded number a call; tells whether more are due.
local MOST_PROMOTED = 1000

local function promote_due()
  local due = call('ZRANGEBYSCORE', key('later'), '-inf', now, 'LIMIT', 0, MOST_PROMOTED)
  for _, id in ipairs(due) do
    local job = load_job(id)
    if job then
      line_up_job(job, job.run_at)
    end
  end
  send('ZREM', key('later'), due)
  write_lines()
  return #due == MOST_PROMOTED
end

-- The lanes that a claim may take from, in the order of their bounds; the lines behind them are not looked at here.
-- ARGV[6..8]: packed names of lanes or false, packed queues or false, packed job types or false.
local LANES_A_LOOK = 64
local upcoming, walked, has_all = {}, 0, false

local function as_set(packed)
  local names = cmsgpack.unpack(packed)
  if not names then
    return nil
  end
  local set = {}
  for _, name in ipairs(names) do
    set[name] = true
  end
  return set
end

local named, queues, job_types = cmsgpack.unpack(ARGV[6]), as_set(ARGV[7]), as_set(ARGV[8])

local function is_wanted(lane)
  local cut = string.find(lane, '\31', 1, true)
  return (not queues or queues[string.sub(lane, 1, cut - 1)]) and (not job_types or job_types[string.sub(lane, cut + 1)])
end

local function look_up_named()
  local bounds = call('ZMSCORE', key('lanes'), unpack(named))
  for index, bound in ipairs(bounds) do
    if bound then
      upcoming[#upcoming + 1] = { name = named[index], bound = tonumber(bound) }
    end
  end
  table.sort(upcoming, function(one, other) return one.bound > other.bound end)
  has_all = true
end

-- Read on in the order of bounds until some lane is wanted. The next one stands last, where it is cheap to take.
local function walk_lanes()
  repeat
    local page = call('ZRANGE', key('lanes'), walked, walked + LANES_A_LOOK - 1, 'WITHSCORES')
    walked = walked + LANES_A_LOOK
    has_all = #page < 2 * LANES_A_LOOK
    for index = #page - 1, 1, -2 do
      if is_wanted(page[index]) then
        upcoming[#upcoming + 1] = { name = page[index], bound = tonumber(page[index + 1]) }
      end
    end
  until #upcoming > 0 or has_all
end

local function next_lane()
  if #upcoming == 0 and not has_all then
    if named then
      look_up_named()
    else
      walk_lanes()
    end
  end
  return upcoming[#upcoming]
end

-- Lanes are opened only when their bound says that they may hold the next job: a claim looks at the heads of few
-- lanes, however many there are. ARGV[2], ARGV[5]: limit, the place to go on from.
local limit, start = tonumber(ARGV[2]), tonumber(ARGV[5])
local opened = {}

local function fill(lane)
  local from = '(' .. text(lane.after)
  local found = call('ZRANGEBYSCORE', line_key(lane.name), from, '+inf', 'WITHSCORES', 'LIMIT', 0, lane.size)
  lane.items, lane.at, lane.size = found, 1, math.min(2 * lane.size, 1000)
  lane.place = found[2] and tonumber(found[2])
  lane.after = found[#found] and tonumber(found[#found])
end

local function open_lane(name)
  -- A lone lane gives everything; one of many probably gives little.
  local size = math.min(limit, (has_all and #upcoming == 0) and 1000 or 32)
  local lane = { name = name, after = start, taken = {}, size = size }
  fill(lane)
  opened[#opened + 1] = lane
  if lane.place then
    push_lane(lane)
  end
end

local function open_urgent_lanes()
  local lane = next_lane()
  while lane and (#heap == 0 or lane.bound <= heap[1].place) do
    upcoming[#upcoming] = nil
    open_lane(lane.name)
    lane = next_lane()
  end
end

local function step_lane()
  local lane = heap[1]
  lane.at = lane.at + 2
  if not lane.items[lane.at] then
    fill(lane)
  else
    lane.place = tonumber(lane.items[lane.at + 1])
  end
  if lane.place then
    sift_down()
  else
    pop_lane()
  end
end

local function close_lanes()
  for _, lane in ipairs(opened) do
    send('ZREM', line_key(lane.name), lane.taken)
    local first = call('ZRANGE', line_key(lane.name), 0, 0, 'WITHSCORES')
    if first[2] then
      call('ZADD', key('lanes'), first[2], lane.name)
    else
      call('ZREM', key('lanes'), lane.name)
    end
  end
end

--@ core jobs lines heap promote lanes opening
-- Give due jobs to one worker. ARGV: worker, limit, lease, tenant or '', place to go on from, packed lanes or
-- false, packed queues or false, packed types or false.
local worker, lease, tenant = ARGV[1], tonumber(ARGV[3]), ARGV[4]
local MOST_LOOKED_AT = 20000

local taken, looked_at, last_place = {}, 0, start

local function take_first(lane)
  local member = lane.items[lane.at]
  local cut = string.find(member, '\31', 1, true)
  if tenant == '' or string.sub(member, cut + 1) == tenant then
    taken[#taken + 1] = string.sub(member, 1, cut - 1)
    lane.taken[#lane.taken + 1] = member
  end
  looked_at = looked_at + 1
  last_place = lane.place
end

local more_due = promote_due()
while #taken < limit and looked_at < limit + MOST_LOOKED_AT do
  open_urgent_lanes()
  if #heap == 0 then
    break
  end
  take_first(heap[1])
  step_lane()
end
close_lanes()
tell_queues()

local stopped_early = #heap > 0 and #taken < limit
local go_on = stopped_early and text(last_place) or (more_due and '-1' or false)
if #taken == 0 then
  -- Nothing may be written for an empty answer: idle workers ask all day.
  return { {}, now, 0, go_on }
end

local token = call('INCRBY', key('token'), #taken) - #taken
local lock = stamp .. ' ' .. worker
local claimed, running, first_token = {}, {}, token + 1

for index, id in ipairs(taken) do
  local where = job_key(id)
  local row = call('HMGET', where, 'fixed', 'input', 'priority', 'run_at', 'created_at', 'cost', 'started_at')
  token = token + 1
  local token_text = text(token)
  if row[7] then
    local history = call('HMGET', where, 'attempts', 'deaths', 'error', 'progress', 'state')
    row[8], row[9], row[10], row[11] = history[1], history[2], history[3], history[4]
    if history[5] == 'retryable' then
      call('ZREM', key('retryable'), id)
    end
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock)
  else
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock, 'started_at', stamp)
  end
  running[#running + 1] = now + lease
  running[#running + 1] = string.rep('0', 16 - #token_text) .. token_text .. id
  claimed[2 * index - 1] = id
  claimed[2 * index] = row
end
send('ZADD', RUNNING, running)
return { claimed, now, first_token, go_on }
