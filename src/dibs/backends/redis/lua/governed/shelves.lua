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

-- Jobs were added to a lane, the first of them at `position`.
local function shelve(lane, position)
  local shelf = call('HGET', key('shelf_of'), lane)
  if not shelf then
    put_on(home_of(lane), lane, position)
  elseif call('ZADD', key(shelf), 'LT', 'CH', position, lane) == 1 then
    note_first(shelf, position)
  end
end

-- The first job of a lane may have left it; gives the one that is first now, and its place.
local function settle(lane)
  local shelf = call('HGET', key('shelf_of'), lane)
  local first = call('ZRANGE', line_key(lane), 0, 0, 'WITHSCORES')
  if shelf and not first[1] then
    take_off(shelf, lane)
  elseif shelf then
    call('ZADD', key(shelf), first[2], lane)
  end
  return first[1], tonumber(first[2])
end

hooks.shelve, hooks.settle = shelve, settle
