-- Every key of a namespace begins with its tag, {namespace}, so that all of them live in one hash slot.
local tag = KEYS[1]
local call = redis.call
local RUNNING = tag .. ':running'
local ACTIVE = tag .. ':active'

local function key(name, rest)
  return tag .. ':' .. name .. (rest or '')
end

local function job_key(id)
  return tag .. ':job:' .. id
end

-- Lua writes large numbers with 14 digits, and Redis may write them as 1e+15: neither may reach a field.
local function text(number)
  return string.format('%.0f', number)
end

local function number(value)
  return tonumber(value or 0)
end

-- What every script must know of the namespace: how far its clock is moved, and whether anything is governed.
local known = call('MGET', key('clock_offset'), key('governing'))
local time = call('TIME')
local now = time[1] * 1000000 + time[2] + number(known[1])
local stamp = text(now)

-- The queues in which jobs may have become due. A user without the right to publish must not end a script that has
-- written: notices may be lost.
local woken = {}

local function tell_queues()
  for queue in pairs(woken) do
    redis.pcall('PUBLISH', key('notices'), queue)
  end
end

-- A Lua call takes some 8,000 values at most; the chunk is even, so that pairs stay together.
local function send(command, where, values, first_option)
  for from = 1, #values, 5000 do
    local upto = math.min(from + 4999, #values)
    if first_option then
      call(command, where, first_option, unpack(values, from, upto))
    else
      call(command, where, unpack(values, from, upto))
    end
  end
end
