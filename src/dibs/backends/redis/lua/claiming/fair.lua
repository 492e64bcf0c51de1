--@ claiming/serving
-- How a claim goes through fair queues. Each has one candidate: the most urgent job that may run of the tenant whose turn
-- it is. A lane that is held back is put aside, and whoever has no other lane is not in the rotation until it is freed.
local MOST_PUT_ASIDE = 1000
local fair_queues, passed, has_nothing = {}, {}, {}

local function find_lane_of(shelf)
  while true do
    local from = passed[shelf] and '(' .. passed[shelf] or '-inf'
    local page = call('ZRANGEBYSCORE', key(shelf), from, '+inf', 'WITHSCORES', 'LIMIT', 0, 16)
    for index = 1, #page, 2 do
      if is_lane_wanted(page[index]) then
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
  while lane and parked < MOST_PUT_ASIDE do
    local job, thing, until_then = look_at(lane)
    if not thing then
      item.job, item.lane, item.owner, item.place = job, lane, owner, place(job.priority, job.seq)
      return true
    end
    if not park(lane, thing, until_then) then
      passed[shelf] = position
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

-- Those who are put aside leave the sets while we look: we go on behind as many as have stayed.
local function find_turn(item)
  item.job = nil
  for _, where in ipairs({ 'here:', 'ahead:' }) do
    local from = 0
    repeat
      local before = call('ZCARD', key(where, item.queue))
      local names = call('ZRANGE', key(where, item.queue), from, from + 63)
      ask_tenants(item, names)
      must_begin_again = must_begin_again or (not item.job and parked >= MOST_PUT_ASIDE)
      if item.job or must_begin_again then
        return
      end
      from = from + #names - (before - call('ZCARD', key(where, item.queue)))
    until #names < 64
  end
end
