--@ core
-- A schedule is a hash: its body, which people write, and what moves by itself. `schedules` has all names, `schedules_due`
-- those with a next instant. A name here is the tenant and the schedule's own.
local function schedule_key(name)
  return key('schedule:', name)
end

local function find_version(name)
  return number(call('HGET', schedule_key(name), 'version'))
end

local function set_instant(name, field, instant)
  if instant == '' then
    call('HDEL', schedule_key(name), field)
  else
    call('HSET', schedule_key(name), field, instant)
  end
end

local function set_next(name, next_at)
  set_instant(name, 'next_at', next_at)
  if next_at == '' then
    call('ZREM', key('schedules_due'), name)
  else
    call('ZADD', key('schedules_due'), next_at, name)
  end
end

local function read_schedule(name)
  local row = call('HMGET', schedule_key(name), 'body', 'next_at', 'last_fired_at', 'version', 'created_at', 'updated_at')
  return row[1] and row
end
