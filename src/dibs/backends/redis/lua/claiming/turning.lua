--@ claiming/fair
-- Every job that is given away may hold others back: the candidates of fair queues are looked at anew after each.
local looked_after = nil

local function watch_queue(queue)
  if not is_shut(find_rule('gate:queue:' .. queue)) then
    fair_queues[#fair_queues + 1] = { queue = queue }
  end
end

local function refresh_candidates()
  if looked_after ~= #taken then
    looked_after = #taken
    for _, item in ipairs(fair_queues) do
      find_turn(item)
    end
  end
end

-- The most urgent candidate of all fair queues, if it comes before all others.
local function find_candidate()
  refresh_candidates()
  local best = nil
  for _, item in ipairs(fair_queues) do
    if item.job and (not best or item.place < best.place) then
      best = item
    end
  end
  return best and (#heap == 0 or best.place < heap[1].place) and best or nil
end

local function take_candidate()
  local item = find_candidate()
  if not item then
    return false
  end
  take_from(item.lane, item.job)
  stand_anew(item.queue, item.owner)
  return true
end

hooks.take_candidate = take_candidate
