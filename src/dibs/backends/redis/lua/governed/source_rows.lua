--@ governed/source governed/freeing governed/acts governed/today
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

-- An instant as ISO 8601 has it. Years begin in March here, so that a leap day comes last; see calendar.
local function show_instant(micros)
  if not micros then
    return 'null'
  end
  micros = tonumber(micros)
  local day = math.floor(micros / DAY) + 719468
  local era = math.floor(day / 146097)
  local in_era = day - era * 146097
  local leaps = math.floor(in_era / 1460) - math.floor(in_era / 36524) + math.floor(in_era / 146096)
  local year = math.floor((in_era - leaps) / 365)
  local in_year = in_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * in_year + 2) / 153)
  local of_month = in_year - math.floor((153 * month + 2) / 5) + 1
  local named = month < 10 and month + 3 or month - 9
  local second, part = math.floor(micros % DAY / 1000000), micros % 1000000
  return string.format('"%04d-%02d-%02dT%02d:%02d:%02d.%06d+00:00"', year + era * 400 + (named <= 2 and 1 or 0), named,
    of_month, math.floor(second / 3600), math.floor(second / 60) % 60, second % 60, part)
end

-- How the source stands, as an operator changes it.
local function tell_stand()
  local row = call('HMGET', where, 'enabled', 'failure_streak', 'paused_until', 'limited_until')
  return row[1] and '{"enabled":' .. (row[1] == '1' and 'true' or 'false') .. ',"failure_streak":' .. (row[2] or '0')
    .. ',"paused_until":' .. show_instant(row[3]) .. ',"limited_until":' .. show_instant(row[4]) .. '}' or 'null'
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

local function record_change(action, act, before)
  record_act(action, 'source:' .. name, ALL_TENANTS, act, '{"before":' .. before .. ',"after":' .. tell_stand() .. '}')
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
