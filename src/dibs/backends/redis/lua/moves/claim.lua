--@ promote claiming/taking ?claiming/watching
-- Give due jobs to one worker. ARGV: worker, limit, lease, packed tenant or false, place to go on from,
-- packed lanes or false, packed queues or false, packed types or false.
local worker, lease = ARGV[1], tonumber(ARGV[3])
local MOST_LOOKED_AT, MOST_PARKED = 20000, 1000

local more_due = promote_due()
if is_governing then
  if hooks.is_all_shut() then
    return { {}, now, 0, false }
  end
  hooks.watch()
end
while #taken < limit and looked_at < limit + MOST_LOOKED_AT and parked < MOST_PARKED and not must_begin_again do
  open_urgent_lanes()
  if not is_governing or not hooks.take_candidate() then
    if #heap == 0 then
      break
    end
    serve_first(heap[1])
  end
end
close_lanes()
if is_governing then
  hooks.close()
end
tell_queues()

local stopped_early = #heap > 0 and #taken < limit
local go_on = stopped_early and text(last_place) or (more_due and '-1' or false)
if must_begin_again then
  go_on = '-1'
end
if #taken == 0 then
  -- Nothing may be written for an empty answer: idle workers ask all day.
  return { {}, now, 0, go_on }
end

local token = call('INCRBY', key('token'), #taken) - #taken
local lock = stamp .. ' ' .. worker
local claimed, running, first_token = {}, {}, token + 1

for _, id in ipairs(taken) do
  local row = call('HMGET', job_key(id), 'fixed', 'input', 'priority', 'run_at', 'created_at', 'cost', 'started_at')
  if is_bound(row[1]) and not governed_ids[id] then
    leave_over(id, row)
    go_on = '-1'
  else
    token = token + 1
    running[#running + 1] = now + lease
    running[#running + 1] = hand_over(id, row, text(token), lock)
    claimed[#claimed + 1] = id
    claimed[#claimed + 1] = row
  end
end
send('ZADD', RUNNING, running)
return { claimed, now, first_token, go_on }
