--@ opening claiming/handing
-- What is done with the first of all that stand in the heap.
local looked_at, last_place = 0, start

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
      taken[#taken + 1] = string.sub(member, 1, cut - 1)
    end
  end
end

local function serve_first(item)
  if item.serve then
    item.serve(item)
  else
    take_first(item)
  end
end
