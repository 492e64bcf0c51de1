--@ core jobs lines heap promote lanes opening
-- Give due jobs to one worker. ARGV: worker, limit, lease, packed tenant or false, place to go on from,
-- packed lanes or false, packed queues or false, packed types or false.
local worker, lease, tenant = ARGV[1], tonumber(ARGV[3]), cmsgpack.unpack(ARGV[4])
local MOST_LOOKED_AT = 20000

local taken, looked_at, last_place = {}, 0, start

local function take_first(lane)
  local member = lane.items[lane.at]
  local cut = string.find(member, '\31', 1, true)
  if not tenant or string.sub(member, cut + 1) == tenant then
    taken[#taken + 1] = string.sub(member, 1, cut - 1)
    lane.taken[#lane.taken + 1] = member
  end
  looked_at = looked_at + 1
  last_place = lane.place
end

local more_due = promote_due()
while #taken < limit and looked_at < limit + MOST_LOOKED_AT do
  open_urgent_lanes()
  if #heap == 0 then
    break
  end
  take_first(heap[1])
  step_lane()
end
close_lanes()
tell_queues()

local stopped_early = #heap > 0 and #taken < limit
local go_on = stopped_early and text(last_place) or (more_due and '-1' or false)
if #taken == 0 then
  -- Nothing may be written for an empty answer: idle workers ask all day.
  return { {}, now, 0, go_on }
end

local token = call('INCRBY', key('token'), #taken) - #taken
local lock = stamp .. ' ' .. worker
local claimed, running, first_token = {}, {}, token + 1

for index, id in ipairs(taken) do
  local where = job_key(id)
  local row = call('HMGET', where, 'fixed', 'input', 'priority', 'run_at', 'created_at', 'cost', 'started_at')
  token = token + 1
  local token_text = text(token)
  if row[7] then
    local history = call('HMGET', where, 'attempts', 'deaths', 'error', 'progress', 'state')
    row[8], row[9], row[10], row[11] = history[1], history[2], history[3], history[4]
    if history[5] == 'retryable' then
      call('ZREM', key('retryable'), id)
    end
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock)
  else
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock, 'started_at', stamp)
  end
  running[#running + 1] = now + lease
  running[#running + 1] = string.rep('0', 16 - #token_text) .. token_text .. id
  claimed[2 * index - 1] = id
  claimed[2 * index] = row
end
send('ZADD', RUNNING, running)
return { claimed, now, first_token, go_on }
