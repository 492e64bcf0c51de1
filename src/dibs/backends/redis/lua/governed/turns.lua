--@ core
-- Whose turn it is in a fair queue. `turns:<queue>` keeps how far each tenant has come, `reached` how far the queue has.
-- Of the tenants that wait, those at or behind that point stand in `here:<queue>` by name, the others in `ahead:<queue>`.
local function reached_in(queue)
  return number(call('HGET', key('reached'), queue))
end

local function join_turns(queue, tenant)
  local turn = number(call('HGET', key('turns:', queue), tenant))
  if turn > reached_in(queue) then
    call('ZADD', key('ahead:', queue), text(turn), tenant)
  else
    call('ZADD', key('here:', queue), 0, tenant)
  end
  call('SADD', key('fair_queues'), queue)
end

local function leave_turns(queue, tenant)
  call('ZREM', key('ahead:', queue), tenant)
  call('ZREM', key('here:', queue), tenant)
  if call('EXISTS', key('ahead:', queue), key('here:', queue)) == 0 then
    call('SREM', key('fair_queues'), queue)
  end
end

-- Note that a tenant was given a job; `turn` is smaller for a heavier tenant.
local function take_turn(queue, tenant, turn)
  local before = reached_in(queue)
  local reached = math.max(number(call('HGET', key('turns:', queue), tenant)), before)
  call('HSET', key('turns:', queue), tenant, text(reached + turn))
  if reached > before then
    call('HSET', key('reached'), queue, text(reached))
    for _, other in ipairs(call('ZRANGEBYSCORE', key('ahead:', queue), '-inf', text(reached))) do
      call('ZADD', key('here:', queue), 0, other)
    end
    call('ZREMRANGEBYSCORE', key('ahead:', queue), '-inf', text(reached))
  end
end

-- A tenant that still waits stands elsewhere after its turn.
local function stand_anew(queue, tenant)
  if call('ZREM', key('here:', queue), tenant) + call('ZREM', key('ahead:', queue), tenant) > 0 then
    join_turns(queue, tenant)
  end
end
