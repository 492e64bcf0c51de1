--@ claiming/serving
-- How a claim goes through fair queues. Each stands in the heap by the first lane of the tenant whose turn it is.
-- A lane that is held back stays where it is: whose turn it is depends on all who wait.
local passed, has_nothing = {}, {}

local function find_lane_of(shelf)
  while true do
    local from = passed[shelf] and '(' .. passed[shelf] or '-inf'
    local page = call('ZRANGEBYSCORE', key(shelf), from, '+inf', 'WITHSCORES', 'LIMIT', 0, 16)
    for index = 1, #page, 2 do
      if is_lane_wanted(page[index]) then
        return page[index], tonumber(page[index + 1])
      end
      passed[shelf] = page[index + 1]
    end
    if #page == 0 then
      return nil
    end
  end
end

local function ask_tenants(item, names)
  for _, owner in ipairs(names) do
    local shelf = 'fair:' .. item.queue .. '\31' .. owner
    if not has_nothing[shelf] and (not tenant or owner == tenant) then
      item.lane, item.place = find_lane_of(shelf)
      item.owner, item.shelf = owner, shelf
      if item.lane then
        return true
      end
      has_nothing[shelf] = true
    end
  end
  return false
end

local function find_turn(item)
  for _, where in ipairs({ 'here:', 'ahead:' }) do
    local from = 0
    repeat
      local names = call('ZRANGE', key(where, item.queue), from, from + 63)
      if ask_tenants(item, names) then
        return true
      end
      from = from + 64
    until #names < 64
  end
  return false
end

-- All lanes of a tenant that may run nothing are held back: those before the next job of others need no look.
local function pass_over(item, thing)
  passed[item.shelf] = text(item.place)
  local plain = next_lane()
  local other = plain and plain.bound or math.huge
  for index = 2, math.min(3, #heap) do
    other = math.min(other, heap[index].place)
  end
  if thing == 'tenant:' .. item.owner and other == math.huge then
    has_nothing[item.shelf] = true
  elseif thing == 'tenant:' .. item.owner and other > item.place then
    passed[item.shelf] = text(other)
  end
end

local function serve_turn(item)
  local thing = try_lane(item.lane)
  if thing then
    pass_over(item, thing)
  else
    settle(item.lane)
    stand_anew(item.queue, item.owner)
  end
  if find_turn(item) then
    sift_down()
  else
    pop_lane()
  end
end
