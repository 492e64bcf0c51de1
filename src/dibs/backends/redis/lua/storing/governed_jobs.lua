--@ new_jobs governed/lanes
-- A job that names a source or a concurrency key brings the name of its governed lane; others may be governed by rules.
local function lane_of_new(job)
  local lane = job[LANE]
  if not job[IS_BOUND] then
    local queue, job_type = string.match(lane, '^([^\31]*)\31(.*)$')
    if not is_governed(queue, job[TENANT_NAME]) then
      return lane
    end
    lane = name_lane(queue, job_type, job[TENANT_NAME], nil, nil, cmsgpack.unpack(job.fixed)[MAX_COST])
  end
  governed_lanes[lane] = true
  return lane
end

hooks.lane_of_new = lane_of_new
