--@ jobs governed/asking
-- The rules, each read when it is first asked for.
local GATE_EXPIRES, GATE_MODE = 3, 4
local MAX_RUNNING, TURN, DAILY, MONTHLY = 2, 3, 4, 5
local has_rules, known_rules = nil, {}

local function find_rule(name)
  if not is_governing then
    return nil
  end
  if has_rules == nil then
    has_rules = call('EXISTS', key('rules')) == 1
  end
  if not has_rules then
    return nil
  end
  local rule = known_rules[name]
  if rule == nil then
    local packed = call('HGET', key('rules'), name)
    rule = packed and cmsgpack.unpack(packed)
    known_rules[name] = rule
  end
  return rule or nil
end

local function is_fair(queue)
  local rule = find_rule('queue:' .. queue)
  return rule ~= nil and rule[2]
end

local function is_ruled(tenant)
  return find_rule('tenant:' .. tenant) ~= nil or find_rule('gate:tenant:' .. tenant) ~= nil
end

hooks.is_fair, hooks.is_ruled = is_fair, is_ruled

-- Queue, type, tenant, source, key and cost; no cost in names that are no longer given, see renaming.
local function split_lane(lane)
  return string.match(lane, '^([^\31]*)\31([^\31]*)\31([^\31]*)\31([^\31]*)\31([^\31]*)\31?(%d*)$')
end

-- A key has its own limit, or that of its family: `account:` speaks for `account:42`.
local function key_limit(name)
  local family = string.match(name, '^[^:]*:')
  local rule = find_rule('key:' .. name) or (family and find_rule('key:' .. family))
  return rule and rule[MAX_RUNNING] or 1
end

-- Whoever writes the first rule, governed lane or holder says so; a claim that finds none of them any more takes it back.
local function mark_governing()
  if not is_marked then
    call('SET', key('governing'), 1)
    is_governing, is_marked = true, true
  end
end
