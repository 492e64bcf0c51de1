--@ claiming/serving
-- How a claim goes through fair queues. Each has one candidate: the most urgent job that may run of the tenant whose turn
-- it is. A lane that is held back stays where it is; this claim does not look at it again.
local fair_queues, passed, has_nothing, dead_things = {}, {}, {}, {}

local function is_dead(lane)
  local _, _, _, source = split_lane(lane)
  return not is_lane_wanted(lane) or dead_things['source:' .. source]
end

local function find_lane_of(shelf)
  while true do
    local from = passed[shelf] and '(' .. passed[shelf] or '-inf'
    local page = call('ZRANGEBYSCORE', key(shelf), from, '+inf', 'WITHSCORES', 'LIMIT', 0, 16)
    for index = 1, #page, 2 do
      if not is_dead(page[index]) then
        return page[index], page[index + 1]
      end
      passed[shelf] = page[index + 1]
    end
    if #page == 0 then
      return nil
    end
  end
end

local function find_job_of(item, owner, shelf)
  local lane, position = find_lane_of(shelf)
  while lane do
    local job, thing = look_at(lane)
    if not thing then
      item.job, item.lane, item.owner, item.place = job, lane, owner, place(job.priority, job.seq)
      return true
    end
    dead_things[thing], passed[shelf] = true, position
    if thing == 'tenant:' .. owner then
      return false
    end
    lane, position = find_lane_of(shelf)
  end
  return false
end

local function ask_tenants(item, names)
  for _, owner in ipairs(names) do
    local shelf = 'fair:' .. item.queue .. '\31' .. owner
    if not has_nothing[shelf] and (not tenant or owner == tenant) then
      if find_job_of(item, owner, shelf) then
        return
      end
      has_nothing[shelf] = true
    end
  end
end

local function find_turn(item)
  item.job = nil
  for _, where in ipairs({ 'here:', 'ahead:' }) do
    local from = 0
    repeat
      local names = call('ZRANGE', key(where, item.queue), from, from + 63)
      ask_tenants(item, names)
      if item.job then
        return
      end
      from = from + 64
    until #names < 64
  end
end
