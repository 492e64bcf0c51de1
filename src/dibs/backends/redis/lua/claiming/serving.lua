--@ heap lanes claiming/giving governed/renaming
-- How a claim goes through governed lanes. In the heap stand, beside plain lanes: shelves, by the place of the lane that
-- is next on them, and lanes that this claim has met, by the place of their first job.
local met, items_of, closed = {}, {}, {}

local function is_lane_wanted(lane)
  local queue, job_type, owner = split_lane(lane)
  return (not tenant or owner == tenant) and is_wanted(queue .. '\31' .. job_type)
end

-- Find the first job of a lane and what holds it back. Entries of jobs that went elsewhere are removed.
local function look_at(lane)
  if hooks.rename(lane) then
    must_begin_again = true
    return nil, 'nothing'
  end
  while true do
    local first = call('ZRANGE', line_key(lane), 0, 0)[1]
    if not first then
      settle(lane)
      return nil, 'nothing'
    end
    local id = string.match(first, '^[^\31]*')
    local job = load_job(id)
    if job and (job.state == 'pending' or job.state == 'retryable') then
      job.member = first
      return job, find_obstacle(lane)
    end
    call('ZREM', line_key(lane), first)
  end
end

-- Gives the place of the job that is first now, nil if there is none.
local function take_from(lane, job)
  call('ZREM', line_key(lane), job.member)
  give(job)
  local _, position = settle(lane)
  return position
end

-- Tells whether the lane stands elsewhere now.
local function park(lane, thing, until_then)
  if thing == 'gate' or thing == 'nothing' then
    return false
  end
  local shelf, position = call('HGET', key('shelf_of'), lane), call('ZRANGE', line_key(lane), 0, 0, 'WITHSCORES')[2]
  move_lane(lane, shelf, rest_of(lane, thing), position)
  shut_thing(thing, until_then)
  closed['behind:' .. thing] = true
  parked = parked + 1
  return true
end

local function serve_lane(item)
  if items_of[item.lane] ~= item then
    return pop_lane()
  end
  local job, thing, until_then = look_at(item.lane)
  if thing then
    park(item.lane, thing, until_then)
    return pop_lane()
  end
  local position = take_from(item.lane, job)
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
