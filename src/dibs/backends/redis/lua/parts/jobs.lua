--@ core
-- What never changes in a job is packed into one field: tenant, queue, type, retries, keys, source, parent, cost.
local TENANT, QUEUE, JOB_TYPE, MAX_RETRIES, UNIQUE_KEY = 1, 2, 3, 4, 5
local CONCURRENCY_KEY, SOURCE, MAX_COST = 6, 7, 9

local function load_job(id)
  local found = call('HMGET', job_key(id), 'fixed', 'state', 'priority', 'seq', 'token', 'run_at',
    'attempts', 'deaths', 'lock', 'created_at')
  if not found[1] then
    return nil
  end
  return {
    id = id, fixed = cmsgpack.unpack(found[1]), state = found[2], priority = tonumber(found[3]),
    seq = tonumber(found[4]), token = number(found[5]), run_at = tonumber(found[6]),
    attempts = number(found[7]), deaths = number(found[8]), lock = found[9], created_at = tonumber(found[10]),
  }
end

local function lane_of(fixed)
  return fixed[QUEUE] .. '\31' .. fixed[JOB_TYPE]
end

local function line_key(lane)
  return tag .. ':ready:' .. lane
end

local function unique_name(fixed)
  return fixed[TENANT] .. '\31' .. fixed[JOB_TYPE] .. '\31' .. fixed[UNIQUE_KEY]
end

-- The lock is '<locked_at> <worker>'.
local function worker_of(job)
  return job.lock and string.sub(job.lock, string.find(job.lock, ' ', 1, true) + 1) or ''
end

local function locked_at_of(job)
  return job.lock and tonumber(string.match(job.lock, '^%d+')) or now
end

local function running_member(token, id)
  return string.format('%016.0f', token) .. id
end

local function next_token()
  return call('INCR', key('token'))
end
