--@ governed/source governed/freeing governed/acts
-- Writing sources. ARGV[1..3]: name, and for one that is not known yet its packed rule and how that is told in JSON,
-- open at its end: whether the source is enabled stands beside it.
local name = ARGV[1]
local where = key('source:', name)
local ALL_TENANTS = '*'

local function tell_rule()
  local row = call('HMGET', where, 'told', 'enabled')
  return row[1] and row[1] .. ',"enabled":' .. (row[2] == '1' and 'true}' or 'false}') or 'null'
end

local function keep_rule(packed, told, is_enabled)
  call('HSET', where, 'rule', packed, 'told', told, 'enabled', is_enabled and '1' or '0')
  call('ZADD', key('sources'), 0, name)
end

local function get_source()
  if call('EXISTS', where) == 0 then
    keep_rule(ARGV[2], ARGV[3], true)
  end
  return find_source(name)
end

local function find_prober()
  local prober = call('HGET', key('probes'), name)
  return prober and call('ZSCORE', RUNNING, prober) and prober or nil
end

local function record_of_source(action, act, detail)
  record_act(action, 'source:' .. name, ALL_TENANTS, act, detail)
end

-- Whatever changed, those who wait for the source must look again.
local function end_source_move()
  free_thing('source:' .. name)
  write_audit()
  tell_queues()
  return call('HGETALL', where)
end
