--@ lines governed/shelves
-- Which jobs wait in governed lanes: those that more than a gate of their queue or type may hold back.
local function is_governed(queue, tenant, source, concurrency_key)
  return source or concurrency_key or (is_governing and (is_fair(queue) or is_ruled(tenant)))
end

local function name_lane(queue, job_type, tenant, source, concurrency_key, cost)
  return table.concat({ queue, job_type, tenant, source or '', concurrency_key or '', text(cost or 0) }, '\31')
end

local function full_lane(fixed)
  return name_lane(
    fixed[QUEUE], fixed[JOB_TYPE], fixed[TENANT], fixed[SOURCE], fixed[CONCURRENCY_KEY], fixed[MAX_COST]
  )
end

local function find_governed_lane(fixed)
  if not is_governed(fixed[QUEUE], fixed[TENANT], fixed[SOURCE], fixed[CONCURRENCY_KEY]) then
    return nil
  end
  local lane = full_lane(fixed)
  governed_lanes[lane] = true
  return lane
end

local function leave_governed_line(fixed, member)
  local lane = full_lane(fixed)
  if call('ZREM', line_key(lane), member) == 1 then
    settle(lane)
  end
end

hooks.find_governed_lane, hooks.leave_governed_line = find_governed_lane, leave_governed_line
