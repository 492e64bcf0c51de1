--@ governed/lanes lanes governed/deciding
-- Tell when a claim may bring something by the passing of time alone: microseconds from now, or false.
-- ARGV: as for a claim. Looks at a bounded number of jobs and lanes.
local MOST = 1000
local earliest = nil

local function consider(thing, until_then)
  local instant = thing and until_then or (not thing and now)
  if instant and (not earliest or instant < earliest) then
    earliest = instant
  end
end

local function consider_job(id)
  local job = load_job(id)
  local fixed = job and job.fixed
  if not fixed or (tenant and fixed[TENANT] ~= tenant) or not is_wanted(lane_of(fixed)) then
    return false
  end
  if job.run_at > now then
    consider(true, job.run_at)
  else
    consider(find_obstacle(full_lane(fixed)))
  end
  return true
end

local function consider_later()
  for _, id in ipairs(call('ZRANGE', key('later'), 0, MOST - 1)) do
    if consider_job(id) and earliest then
      return
    end
  end
end

local function consider_line(lane)
  for _, member in ipairs(call('ZRANGE', line_key(lane), 0, tenant and MOST - 1 or 0)) do
    if consider_job(string.match(member, '^[^\31]*')) then
      return
    end
  end
end

local function consider_plain_lanes()
  local lane = next_lane()
  while lane and earliest ~= now do
    upcoming[#upcoming] = nil
    consider_line(lane.name)
    lane = next_lane()
  end
end

local function consider_governed_lanes()
  local flat = call('HSCAN', key('shelf_of'), 0, 'COUNT', MOST)[2]
  for index = 1, #flat, 2 do
    if earliest == now then
      return
    end
    consider_line(flat[index])
  end
end

consider_later()
consider_plain_lanes()
consider_governed_lanes()
return earliest and text(math.max(earliest - now, 0)) or false
