--@ claiming/relaning claiming/turning
-- Where a claim looks for governed jobs.
local function is_gated(lane)
  local queue, job_type = string.match(lane, '^([^\31]*)\31(.*)$')
  return find_gate(queue, job_type) ~= nil
end

-- What was found out by a clock that has been set back since is found out anew.
local function free_misjudged_things()
  local misjudged = call('ZRANGEBYSCORE', key('shut_at'), '(' .. text(now + SLACK), '+inf', 'LIMIT', 0, MOST_AT_ONCE)
  for _, thing in ipairs(misjudged) do
    call('ZREM', key('shut_at'), thing)
    free_thing(thing)
  end
  must_begin_again = must_begin_again or #misjudged == MOST_AT_ONCE
end

local function free_due_things()
  local due = call('ZRANGEBYSCORE', key('shut'), '-inf', stamp, 'LIMIT', 0, MOST_AT_ONCE)
  for _, thing in ipairs(due) do
    free_thing(thing)
  end
  must_begin_again = must_begin_again or #due == MOST_AT_ONCE
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

-- The rotation must be whole before anybody has a turn; where that takes long, the claim begins again.
local function bring_returning()
  for _, thing in ipairs(call('SMEMBERS', key('returning'))) do
    must_begin_again = bring_back(thing, MOST_AT_ONCE) or must_begin_again
  end
end

local function watch_governed()
  sort_out_leftovers()
  free_due_things()
  free_misjudged_things()
  bring_returning()
  watch_open_shelves()
  local freed = call('ZRANGE', key('freed'), 0, -1, 'WITHSCORES')
  for index = 1, #freed, 2 do
    watch_shelf('freed', freed[index], 'behind:', freed[index + 1])
  end
  for _, queue in ipairs(call('SMEMBERS', key('fair_queues'))) do
    watch_queue(queue)
  end
end

local function close_governed()
  close_shelves()
  if call('EXISTS', key('rules'), key('shelf_of'), key('counted'), key('probes'), key('leftovers')) == 0 then
    call('DEL', key('governing'))
    is_marked = false
  end
end

local function is_all_shut()
  return is_shut(find_rule('gate:global'))
end

hooks.is_gated, hooks.is_all_shut, hooks.watch, hooks.close = is_gated, is_all_shut, watch_governed, close_governed
