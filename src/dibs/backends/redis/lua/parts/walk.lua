--@ core
-- Walk jobs from the one stored last to the first, over several sorted sets, a bounded number a call.
-- ARGV: cursor or '+inf', most to look at, packed names of the sets, packed filter.
local cursor, most = ARGV[1], tonumber(ARGV[2])
local sources, wanted = cmsgpack.unpack(ARGV[3]), cmsgpack.unpack(ARGV[4])
local states = nil
if wanted.states then
  states = {}
  for _, state in ipairs(wanted.states) do
    states[state] = true
  end
end

-- `running` is in the order of lapsing, and short: it holds what workers have in their hands.
local function read_running(list)
  for _, member in ipairs(call('ZRANGE', RUNNING, 0, -1)) do
    local id = string.sub(member, 17)
    local seq = tonumber(call('HGET', job_key(id), 'seq'))
    if cursor == '+inf' or seq < tonumber(cursor) then
      list[#list + 1] = { id, seq }
    end
  end
  return 0
end

-- Answers how far down the order this set is known.
local function read_source(name, list)
  if name == 'running' then
    return read_running(list)
  end
  local from = cursor == '+inf' and cursor or '(' .. cursor
  local page = call('ZREVRANGEBYSCORE', key(name), from, '-inf', 'WITHSCORES', 'LIMIT', 0, most)
  for index = 1, #page, 2 do
    list[#list + 1] = { page[index], tonumber(page[index + 1]) }
  end
  return #page == 2 * most and tonumber(page[#page]) or 0
end

local function is_wanted(fixed, state, lock)
  if states and not states[state] then
    return false
  end
  for position, value in pairs(wanted.fixed) do
    if fixed[position] ~= value then
      return false
    end
  end
  return not wanted.locked_by or (lock and string.match(lock, '^%d+ (.*)$') == wanted.locked_by)
end

-- Calls `visit(id, seq, state, fixed)` for each job that is wanted until it answers true; answers where to go on.
local function walk(visit)
  local list, floor = {}, 0
  for _, name in ipairs(sources) do
    floor = math.max(floor, read_source(name, list))
  end
  table.sort(list, function(one, other) return one[2] > other[2] end)
  for _, item in ipairs(list) do
    if item[2] < floor then
      break
    end
    local found = call('HMGET', job_key(item[1]), 'fixed', 'state', 'lock')
    local fixed = cmsgpack.unpack(found[1])
    if is_wanted(fixed, found[2], found[3]) and visit(item[1], item[2], found[2], fixed) then
      return text(item[2])
    end
  end
  return floor > 0 and text(floor) or false
end
