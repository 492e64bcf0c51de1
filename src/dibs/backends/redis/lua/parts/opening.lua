--@ heap lines lanes
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
  if is_governing and hooks.is_gated(name) then
    return
  end
  -- A lone lane gives everything; one of many probably gives little.
  local size = math.min(limit, (has_all and #upcoming == 0) and 1000 or 32)
  local lane = { name = name, after = start, taken = {}, size = size }
  opened[#opened + 1] = lane
  if is_governing and hooks.is_fair(string.match(name, '^[^\31]*')) then
    hooks.relane_line(name)
    return
  end
  fill(lane)
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

-- Who takes all that it meets takes from the front of each line without a gap: by rank, see runs.
local function leave_lane(lane)
  if tenant or is_governing or start >= 0 then
    send('ZREM', line_key(lane.name), lane.taken)
  elseif lane.taken[1] then
    call('ZREMRANGEBYRANK', line_key(lane.name), 0, #lane.taken - 1)
  end
end

local function close_lanes()
  for _, lane in ipairs(opened) do
    leave_lane(lane)
    local first = call('ZRANGE', line_key(lane.name), 0, 0, 'WITHSCORES')
    if first[2] then
      call('ZADD', key('lanes'), first[2], lane.name)
    else
      call('ZREM', key('lanes'), lane.name)
    end
  end
end
