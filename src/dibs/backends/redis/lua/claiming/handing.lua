--@ lines
-- The jobs that were taken are written as running, and told to the worker.
-- `governed_ids` are those that went through a governed lane, `probe_of` has the broken sources that some of them try.
local facts_of, taken, governed_ids, probe_of = {}, {}, {}, {}
local parked, must_begin_again = 0, false

-- Jobs of one kind have the same bytes here: each is read once.
local function is_bound(packed)
  local fixed = facts_of[packed]
  if not fixed then
    fixed = cmsgpack.unpack(packed)
    facts_of[packed] = fixed
  end
  return fixed[SOURCE] or fixed[CONCURRENCY_KEY]
end

local function read_history(where, id, row)
  local history = call('HMGET', where, 'attempts', 'deaths', 'error', 'progress', 'state')
  row[8], row[9], row[10], row[11] = history[1], history[2], history[3], history[4]
  if history[5] == 'retryable' then
    call('ZREM', key('retryable'), id)
  end
end

local function hand_over(id, row, token_text, lock)
  local where = job_key(id)
  if row[7] then
    read_history(where, id, row)
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock)
  else
    call('HSET', where, 'state', 'running', 'token', token_text, 'lock', lock, 'started_at', stamp)
  end
  local member = string.rep('0', 16 - #token_text) .. token_text .. id
  if probe_of[id] then
    call('HSET', key('probes'), probe_of[id], member)
  end
  return member
end

-- A job that code without governed lanes has put into a plain line goes back there; the next claim looks for all of its
-- kind. `leftovers` tells for each such line how far that came.
local function leave_over(id, row)
  local fixed, job = facts_of[row[1]], load_job(id)
  local lane, position = lane_of(fixed), place(job.priority, job.seq)
  call('ZADD', line_key(lane), position, id .. '\31' .. fixed[TENANT])
  call('ZADD', key('lanes'), 'LT', position, lane)
  call('HSET', key('leftovers'), lane, '-1')
  mark_governing()
end
