--@ promote opening claiming/handing ?claiming/watching claiming/choosing
-- Give due jobs to one worker. ARGV: worker, limit, lease, packed tenant or false, place to go on from,
-- packed lanes or false, packed queues or false, packed types or false.
local worker, lease = ARGV[1], tonumber(ARGV[3])
local token = call('INCRBY', key('token'), #taken) - #taken
local lock = stamp .. ' ' .. worker
local claimed, running, first_token = {}, {}, token + 1
-- How the packed facts of a job end that has neither keys nor source, parent or cost: no text has such bytes.
local EIGHT_FACTS, FOUR_TIMES_NIL = 152, '\192\192\192\192'

for _, id in ipairs(taken) do
  local where = job_key(id)
  local row = call('HMGET', where, 'fixed', 'input', 'run_at', 'created_at', 'cost', 'started_at')
  local packed = row[1]
  local is_plain = string.byte(packed) == EIGHT_FACTS and string.sub(packed, -4) == FOUR_TIMES_NIL
  local fixed = not is_plain and not governed_ids[id] and cmsgpack.unpack(packed)
  if fixed and (fixed[SOURCE] or fixed[CONCURRENCY_KEY]) then
    -- Code without governed lanes has put it into a plain line. It goes back there, and the next claim looks for all of
    -- its kind; `leftovers` tells for each such line how far that came.
    call('SET', key('governing'), 1)
    call('HSET', key('leftovers'), lane_of(fixed), '-1')
    line_up(id, lane_of(fixed), fixed[TENANT], place_of[id], now)
    write_lines()
    go_on = '-1'
  else
    token = token + 1
    local token_text = text(token)
    if row[6] then
      local history = call('HMGET', where, 'attempts', 'deaths', 'error', 'progress', 'state')
      row[7], row[8], row[9], row[10] = history[1], history[2], history[3], history[4]
      if history[5] == 'retryable' then
        call('ZREM', key('retryable'), id)
      end
      call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock)
    else
      call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock, 'started_at', stamp)
    end
    local member = string.rep('0', 16 - #token_text) .. token_text .. id
    if probe_of[id] then
      call('HSET', key('probes'), probe_of[id], member)
    end
    running[#running + 1] = now + lease
    running[#running + 1] = member
    claimed[#claimed + 1] = id
    claimed[#claimed + 1] = place_of[id]
    claimed[#claimed + 1] = row
  end
end
send('ZADD', RUNNING, running)
return { claimed, now, first_token, go_on }
