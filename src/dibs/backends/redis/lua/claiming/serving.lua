--@ heap lanes claiming/giving
-- How a claim goes through governed lanes. In the heap stand, beside plain lanes: shelves, by the place of the lane that
-- is next on them, and lanes that this claim has met, by the place of their first job.
local met, items_of, closed = {}, {}, {}

local function is_lane_wanted(lane)
  local queue, job_type, owner = split_lane(lane)
  return (not tenant or owner == tenant) and is_wanted(queue .. '\31' .. job_type)
end

-- Give the first job of a lane away, or tell what holds it back. Entries of jobs that went elsewhere are removed.
local function try_lane(lane)
  while true do
    local first = call('ZRANGE', line_key(lane), 0, 0)[1]
    if not first then
      settle(lane)
      return nil
    end
    local id = string.match(first, '^[^\31]*')
    local job = load_job(id)
    if job and (job.state == 'pending' or job.state == 'retryable') then
      local thing, until_then = find_obstacle(lane, job.fixed[MAX_COST] or 0)
      if not thing then
        call('ZREM', line_key(lane), first)
        give(job)
      end
      return thing, until_then
    end
    call('ZREM', line_key(lane), first)
  end
end

local function park(lane, thing, until_then)
  if thing == 'gate' then
    return
  end
  local shelf, position = call('HGET', key('shelf_of'), lane), call('ZRANGE', line_key(lane), 0, 0, 'WITHSCORES')[2]
  move_lane(lane, shelf, 'behind:' .. thing, position)
  shut_thing(thing, until_then)
  closed['behind:' .. thing] = true
  parked = parked + 1
end

local function serve_lane(item)
  if items_of[item.lane] ~= item then
    return pop_lane()
  end
  local thing, until_then = try_lane(item.lane)
  if thing then
    park(item.lane, thing, until_then)
    return pop_lane()
  end
  local _, position = settle(item.lane)
  if not position then
    return pop_lane()
  end
  local shelf = call('HGET', key('shelf_of'), item.lane)
  if string.sub(shelf, 1, 7) == 'behind:' then
    move_lane(item.lane, shelf, home_of(item.lane), position)
  end
  item.place = position
  sift_down()
end

local function meet(lane, position)
  met[lane] = true
  items_of[lane] = { lane = lane, place = position, serve = serve_lane }
  push_lane(items_of[lane])
end
