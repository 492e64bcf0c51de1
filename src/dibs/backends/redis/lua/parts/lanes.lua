--@ core
-- The lanes that a claim may take from, in the order of their bounds; the lines behind them are not looked at here.
-- ARGV[4], ARGV[6..8]: packed tenant, names of lanes, queues and job types, each or false.
local LANES_A_LOOK = 64
local upcoming, walked, has_all = {}, 0, false
local tenant, is_named = cmsgpack.unpack(ARGV[4]), nil

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
  if named then
    is_named = is_named or as_set(ARGV[6])
    return is_named[lane]
  end
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
