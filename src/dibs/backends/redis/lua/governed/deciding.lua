--@ governed/obstacles
-- The one decision. `lane` is the name of a governed lane, `cost` what its first job may cost at most.
local function find_obstacle(lane, cost)
  local queue, job_type, tenant, source, concurrency_key = split_lane(lane)
  local thing, until_then = find_gate(queue, job_type, tenant, source ~= '' and source)
  if not thing and source ~= '' then
    thing, until_then = at_source(source)
  end
  if not thing and concurrency_key ~= '' then
    thing = at_key(tenant, concurrency_key)
  end
  local rule = find_rule('tenant:' .. tenant)
  if not thing and rule then
    thing, until_then = at_tenant(tenant, rule, cost)
  end
  return thing, until_then or nil
end
