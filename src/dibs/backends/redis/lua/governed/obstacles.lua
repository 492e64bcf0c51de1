--@ governed/rules governed/calendar governed/source
-- What stands between a waiting job and a worker, asked in the order of `dibs.engine.admission.obstacle`.
-- Each answers the thing that holds the job back, and until when if that is known; nothing: the job may run.
local STRICTNESS = { drain = 1, closed = 2 }
local probed_here = {}

local function is_shut(gate)
  return gate and (not gate[GATE_EXPIRES] or now < gate[GATE_EXPIRES])
end

-- Of several gates the strictest, and of those the widest. `gate` is the thing of those that no shelf is behind.
local function find_gate(queue, job_type, tenant, source)
  local gates = {
    { 'global', 'gate' }, { 'tenant:' .. (tenant or ''), 'tenant:' .. (tenant or '') }, { 'queue:' .. queue, 'gate' },
    { 'job_type:' .. job_type, 'gate' }, { 'source:' .. (source or ''), 'source:' .. (source or '') },
  }
  local strictest, thing, until_then = 0, nil, nil
  for _, one in ipairs(gates) do
    local gate = find_rule('gate:' .. one[1])
    if is_shut(gate) and STRICTNESS[gate[GATE_MODE]] > strictest then
      strictest, thing, until_then = STRICTNESS[gate[GATE_MODE]], one[2], gate[GATE_EXPIRES]
    end
  end
  return thing, until_then
end

local function at_source(name)
  local source = find_source(name)
  if not source then
    return nil
  end
  local prober = call('HGET', key('probes'), name)
  local is_probing = probed_here[name] or (prober and call('ZSCORE', RUNNING, prober))
  local why, until_then = find_wait(source, call('SCARD', key('holders:source:', name)), is_probing)
  return why and 'source:' .. name, until_then
end

local function at_key(tenant, name)
  local thing = 'key:' .. tenant .. '\31' .. name
  return call('SCARD', key('holders:', thing)) >= key_limit(name) and thing or nil
end

local function sum_spent(tenant)
  local flat, of_day, of_month = call('HGETALL', key('spent:', tenant)), 0, 0
  local month = first_of_month(today)
  for index = 1, #flat, 2 do
    local day = tonumber(flat[index])
    of_day = of_day + (day >= today and tonumber(flat[index + 1]) or 0)
    of_month = of_month + (day >= month and tonumber(flat[index + 1]) or 0)
  end
  return of_day, of_month
end

local function at_tenant(tenant, rule, cost)
  if rule[MAX_RUNNING] and call('SCARD', key('holders:tenant:', tenant)) >= rule[MAX_RUNNING] then
    return 'tenant:' .. tenant
  end
  if not rule[DAILY] and not rule[MONTHLY] then
    return nil
  end
  local of_day, of_month = sum_spent(tenant)
  -- A sum beyond 2^53 is rounded to one that is still above every budget.
  local asked, thing = number(call('HGET', key('reserved'), tenant)) + cost, 'budget:' .. tenant .. '\31' .. text(cost)
  if rule[DAILY] and of_day + asked > rule[DAILY] then
    return thing, (today + 1) * DAY
  end
  if rule[MONTHLY] and of_month + asked > rule[MONTHLY] then
    return thing, next_month(today) * DAY
  end
end
