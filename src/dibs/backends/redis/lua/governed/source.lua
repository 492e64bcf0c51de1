--@ governed/today
-- How a source stands, and what keeps it from giving one more permit. `rule` is packed: the interval between permits
-- (0: no limit), how far ahead one may be taken, burst, quota a day or false, faults until it pauses, and for how long.
local INTERVAL, TOLERANCE, BURST, QUOTA, FAILURE_LIMIT, PAUSE = 1, 2, 3, 4, 5, 6
-- As in `dibs.engine.admission.source`, in microseconds.
local SLACK, MOST_HOPS = 60000000, 20

local function find_source(name)
  local row = call('HMGET', key('source:', name), 'rule', 'enabled', 'failure_streak', 'paused_until',
    'limited_until', 'next_free_at', 'quota_day', 'quota_used', 'held_until', 'earlier_day', 'earlier_used', 'lone_probe')
  if not row[1] then
    return nil
  end
  local used_on = {}
  used_on[number(row[10])] = number(row[11])
  used_on[number(row[7])] = number(row[8])
  return {
    name = name, rule = cmsgpack.unpack(row[1]), is_enabled = row[2] == '1', failures = number(row[3]),
    paused_until = tonumber(row[4]), limited_until = tonumber(row[5]),
    next_free_at = tonumber(row[6]), quota_day = row[7], quota_used = number(row[8]), used_today = used_on[today] or 0,
    held_until = tonumber(row[9]), earlier_day = row[10], lone_probe = number(row[12]),
  }
end

local function is_broken(source)
  return source.failures >= source.rule[FAILURE_LIMIT]
end

-- When a pause ends that is to be believed: one of the breaker's is no longer than it pauses.
local function find_pause(source)
  local paused_until = source.paused_until
  if paused_until and is_broken(source) and paused_until > now + source.rule[PAUSE] + SLACK then
    paused_until = nil
  end
  local ends = math.max(source.held_until or 0, paused_until or 0)
  return now < ends and ends or nil
end

-- The pace as it is believed: after a clock was set back one permit is free, and no burst.
local function next_free(source)
  local free, rule = source.next_free_at, source.rule
  if not free or free <= now then
    return now
  end
  return free <= now + rule[INTERVAL] * rule[BURST] * (1 + MOST_HOPS) + SLACK and free or now + rule[TOLERANCE]
end

-- Answers why, and until when if that is known.
local function find_quota(source, reserved)
  local rule = source.rule
  if rule[QUOTA] and source.used_today + reserved >= rule[QUOTA] then
    return 'quota', (today + 1) * DAY
  end
end

local function find_pace(source, reserved)
  local rule = source.rule
  if rule[INTERVAL] == 0 then
    return nil
  end
  local free_at = next_free(source) + rule[INTERVAL] * reserved - rule[TOLERANCE]
  if free_at <= now then
    return nil
  end
  if reserved >= rule[BURST] then
    -- Time alone frees none: a running job must spend its permit or give it back first.
    return 'awaited'
  end
  return 'limited', free_at
end

-- `hop_of`: a redirect is to be followed, in answer to the fetch of this token.
local function find_wait(source, reserved, is_probing, hop_of)
  if not source.is_enabled then
    return 'disabled'
  end
  local ends = find_pause(source)
  if hop_of and hop_of > 0 and hop_of == source.lone_probe then
    ends = source.held_until and now < source.held_until and source.held_until
  end
  if ends then
    return 'paused', ends
  end
  if is_broken(source) and is_probing then
    return 'probing'
  end
  if not hop_of and source.limited_until and now < source.limited_until then
    return 'limited', source.limited_until
  end
  local why, until_then = find_quota(source, reserved)
  if not why and not hop_of then
    why, until_then = find_pace(source, reserved)
  end
  return why, until_then
end
