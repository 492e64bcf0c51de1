-- Choose what to give away.
local MOST_LOOKED_AT, MOST_PARKED = 20000, 1000
local last_place = start

local function take_first(lane)
  local member = lane.items[lane.at]
  local cut = string.find(member, '\31', 1, true)
  local owner = string.sub(member, cut + 1)
  looked_at = looked_at + 1
  last_place = lane.place
  step_lane()
  if not tenant or owner == tenant then
    lane.taken[#lane.taken + 1] = member
    if is_governing and hooks.is_ruled(owner) then
      hooks.relane(string.sub(member, 1, cut - 1))
    else
      local id = string.sub(member, 1, cut - 1)
      taken[#taken + 1], place_of[id] = id, last_place
    end
  end
end

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
    elseif heap[1].serve then
      heap[1].serve(heap[1])
    else
      take_first(heap[1])
    end
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
