-- Frozen: what code of schema version 1 sends. Never edit it; it shows that such code still fits.
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

local function read_clock()
  local time = call('TIME')
  return time[1] * 1000000 + time[2] + number(call('GET', key('clock_offset')))
end

local now = read_clock()
local stamp = text(now)

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

