--@ governed/lanes governed/holders
-- What a change of the rules means for those who run and wait already.
local function forget_rules()
  mark_governing()
  has_rules, known_rules = nil, {}
end

local function forget_holders(tenant)
  call('DEL', key('holders:tenant:', tenant))
  call('HDEL', key('reserved'), tenant)
  call('SREM', key('counted'), 'tenant:' .. tenant)
end

-- Who runs already counts, also if it was claimed before there was a rule.
local function count_holders(tenant)
  for _, member in ipairs(call('ZRANGE', RUNNING, 0, -1)) do
    local id = string.sub(member, 17)
    local fixed = cmsgpack.unpack(call('HGET', job_key(id), 'fixed'))
    if fixed[TENANT] == tenant then
      add_holder('tenant:' .. tenant, id)
      reserve(tenant, '', fixed[MAX_COST])
    end
  end
end

local function free_tenant(tenant)
  free_thing('tenant:' .. tenant)
  free_budgets(tenant)
end

-- The lanes of a queue that becomes fair, or is not any more, move to other shelves.
local function move_queue(queue)
  local flat = call('HGETALL', key('shelf_of'))
  for index = 1, #flat, 2 do
    local lane, shelf = flat[index], flat[index + 1]
    local kind = string.match(shelf, '^%a+')
    local is_of_turns = kind == 'fair' or kind == 'aside'
    if string.match(lane, '^[^\31]*') == queue and is_of_turns ~= is_fair(queue) then
      move_lane(lane, shelf, home_of(lane), call('ZSCORE', key(shelf), lane))
    end
  end
end

-- Whoever waits anywhere may have become free to go, or to go first.
local function wake_all()
  for _, directory in ipairs({ 'lanes', 'open' }) do
    for _, lane in ipairs(call('ZRANGE', key(directory), 0, -1)) do
      woken[string.match(lane, '^[^\31]*')] = true
    end
  end
  for _, queue in ipairs(call('SMEMBERS', key('fair_queues'))) do
    woken[queue] = true
  end
end

-- A name that ends in a colon speaks for all keys that begin with it.
local function is_meant(thing, name)
  local held = string.match(thing, '^key:[^\31]*\31(.*)$')
  return held and (held == name or string.match(held, '^[^:]*:') == name)
end

local function free_keys(name)
  for _, thing in ipairs(call('ZRANGE', key('shut'), 0, -1)) do
    if is_meant(thing, name) then
      free_thing(thing)
    end
  end
end

-- Older code ends jobs without letting go of their keys.
local function drop_strays(name)
  for _, thing in ipairs(call('SMEMBERS', key('counted'))) do
    for _, id in ipairs(is_meant(thing, name) and call('SMEMBERS', key('holders:', thing)) or {}) do
      if call('HGET', job_key(id), 'state') ~= 'running' then
        drop_holder(thing, id)
      end
    end
  end
end
