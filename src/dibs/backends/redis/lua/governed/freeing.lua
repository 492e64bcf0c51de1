--@ governed/shelves
-- Things that may hold lanes back: `key:`, `tenant:`, `source:`, `budget:`. While one does, it is in `shut` with the
-- instant at which that ends by itself. When it may be over, a few of the lanes behind it are put where claims look
-- first; if there are more, the thing is in `freed`, and claims look behind it in the order of places. Lanes of fair
-- queues, which have turns instead, go back to their tenants; if there are more, the thing is in `returning`.
-- `shut_at` has the instants at which things were found to hold lanes back.
local AWAKENED, RETURNED = 16, 64

local function tell_fair_queues()
  for _, queue in ipairs(call('SMEMBERS', key('fair_queues'))) do
    woken[queue] = true
  end
end

local function bring_home(shelf, most)
  local lanes = call('ZRANGE', key(shelf), 0, most - 1, 'WITHSCORES')
  for index = 1, #lanes, 2 do
    move_lane(lanes[index], shelf, home_of(lanes[index]), lanes[index + 1])
    woken[string.match(lanes[index], '^[^\31]*')] = true
  end
  return #lanes == 2 * most
end

-- Lanes that were put aside, back into the rotation. Tells whether there are more.
local function bring_back(thing, most)
  if bring_home('aside:' .. thing, most) and call('EXISTS', key('aside:', thing)) == 1 then
    call('SADD', key('returning'), thing)
    tell_fair_queues()
    return true
  end
  call('SREM', key('returning'), thing)
  return false
end

local function free_thing(thing)
  if call('ZREM', key('shut'), thing) == 0 then
    return
  end
  call('ZREM', key('shut_at'), thing)
  bring_back(thing, RETURNED)
  local shelf = 'behind:' .. thing
  bring_home(shelf, AWAKENED)
  local first = call('ZRANGE', key(shelf), 0, 0, 'WITHSCORES')
  if first[2] then
    call('ZADD', key('freed'), first[2], thing)
  end
end

local function shut_thing(thing, until_then)
  call('ZADD', key('shut'), until_then and text(until_then) or '+inf', thing)
  call('ZADD', key('shut_at'), stamp, thing)
  call('ZREM', key('freed'), thing)
  call('SREM', key('returning'), thing)
  local tenant = string.match(thing, '^budget:([^\31]*)')
  if tenant then
    call('SADD', key('budgets:', tenant), thing)
  end
end

local function free_budgets(tenant)
  for _, thing in ipairs(call('SMEMBERS', key('budgets:', tenant))) do
    free_thing(thing)
  end
  call('DEL', key('budgets:', tenant))
end
