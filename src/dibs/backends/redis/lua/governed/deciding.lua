--@ governed/obstacles
-- The one decision, for all jobs of a governed lane.
local function find_obstacle(lane)
  local queue, job_type, tenant, source, concurrency_key, cost = split_lane(lane)
  local thing, until_then = find_gate(queue, job_type, tenant, source ~= '' and source)
  if not thing and source ~= '' then
    thing, until_then = at_source(source)
  end
  if not thing and concurrency_key ~= '' then
    thing = at_key(tenant, concurrency_key)
  end
  local rule = find_rule('tenant:' .. tenant)
  if not thing and rule then
    thing, until_then = at_tenant(tenant, rule, tonumber(cost))
  end
  return thing, until_then or nil
end
