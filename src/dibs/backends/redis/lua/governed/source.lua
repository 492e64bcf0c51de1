--@ governed/today
-- How a source stands, and what keeps it from giving one more permit. `rule` is packed: the interval between permits
-- (0: no limit), how far ahead one may be taken, burst, quota a day or false, faults until it pauses, and for how long.
local INTERVAL, TOLERANCE, BURST, QUOTA, FAILURE_LIMIT, PAUSE = 1, 2, 3, 4, 5, 6

local function find_source(name)
  local row = call('HMGET', key('source:', name), 'rule', 'enabled', 'failure_streak', 'paused_until',
    'limited_until', 'next_free_at', 'quota_day', 'quota_used')
  if not row[1] then
    return nil
  end
  return {
    name = name, rule = cmsgpack.unpack(row[1]), is_enabled = row[2] == '1', failures = number(row[3]),
    paused_until = tonumber(row[4]), limited_until = tonumber(row[5]),
    next_free_at = tonumber(row[6]), used_today = number(row[7]) == today and number(row[8]) or 0,
  }
end

local function is_broken(source)
  return source.failures >= source.rule[FAILURE_LIMIT]
end

-- Answers why, and until when if that is known.
local function find_pace(source, reserved)
  local rule = source.rule
  if source.limited_until and now < source.limited_until then
    return 'limited', source.limited_until
  end
  if rule[QUOTA] and source.used_today + reserved >= rule[QUOTA] then
    return 'quota', (today + 1) * DAY
  end
  if rule[INTERVAL] == 0 then
    return nil
  end
  local free_at = math.max(now, source.next_free_at or now) + rule[INTERVAL] * reserved - rule[TOLERANCE]
  if free_at <= now then
    return nil
  end
  if reserved >= rule[BURST] then
    -- Time alone frees none: a running job must spend its permit or give it back first.
    return 'awaited'
  end
  return 'limited', free_at
end

local function find_wait(source, reserved, is_probing)
  if not source.is_enabled then
    return 'disabled'
  end
  if source.paused_until and now < source.paused_until then
    return 'paused', source.paused_until
  end
  if is_broken(source) and is_probing then
    return 'probing'
  end
  return find_pace(source, reserved)
end
