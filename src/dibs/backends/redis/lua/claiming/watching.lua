--@ lines claiming/walking claiming/fair
-- Where a claim looks for governed jobs, and how jobs get there that were stored before a rule.
local MOST_AT_ONCE = 1000
local must_begin_again = false

local function is_gated(lane)
  local queue, job_type = string.match(lane, '^([^\31]*)\31(.*)$')
  return find_gate(queue, job_type) ~= nil
end

local function free_due_things()
  local due = call('ZRANGEBYSCORE', key('shut'), '-inf', stamp, 'LIMIT', 0, MOST_AT_ONCE)
  for _, thing in ipairs(due) do
    free_thing(thing)
  end
  must_begin_again = #due == MOST_AT_ONCE
end

local function watch_open_shelves()
  local flat = named and {} or call('ZRANGE', key('open'), 0, -1, 'WITHSCORES')
  for index, bound in ipairs(named and call('ZMSCORE', key('open'), unpack(named)) or {}) do
    flat[2 * index - 1], flat[2 * index] = named[index], bound
  end
  for index = 1, #flat, 2 do
    if flat[index + 1] and is_wanted(flat[index]) and not is_gated(flat[index]) then
      watch_shelf('open', flat[index], 'open:', flat[index + 1])
    end
  end
end

local function watch_governed()
  if not is_governing or call('EXISTS', key('shelf_of')) == 0 then
    return
  end
  free_due_things()
  watch_open_shelves()
  local freed = call('ZRANGE', key('freed'), 0, -1, 'WITHSCORES')
  for index = 1, #freed, 2 do
    watch_shelf('freed', freed[index], 'behind:', freed[index + 1])
  end
  for _, queue in ipairs(call('SMEMBERS', key('fair_queues'))) do
    local item = { queue = queue, serve = serve_turn }
    if find_turn(item) then
      push_lane(item)
    end
  end
end

-- A job that waits in a plain line and is governed by now moves over, and is met there at once.
local function relane(id)
  local job = load_job(id)
  if job and (job.state == 'pending' or job.state == 'retryable') then
    let_go(job.fixed, running_member(job.token, id))
    line_up_job(job, now)
    write_lines()
    meet(full_lane(job.fixed), place(job.priority, job.seq))
  end
end

-- All of a line whose queue has become fair; then the claim begins again.
local function relane_line(lane)
  local members = call('ZRANGE', line_key(lane), 0, MOST_AT_ONCE - 1)
  for _, member in ipairs(members) do
    line_up_job(load_job(string.match(member, '^[^\31]*')), now)
  end
  send('ZREM', line_key(lane), members)
  write_lines()
  must_begin_again = true
end
