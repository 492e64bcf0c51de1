--@ governed/lanes claiming/walking
-- How jobs come into governed lanes that were stored before there was a rule, or by older code.
local MOST_AT_ONCE = 1000

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

-- Jobs of older code that name a source or a key, out of plain lines; then the claim begins again.
local function sort_out_leftovers()
  local flat = call('HGETALL', key('leftovers'))
  for index = 1, #flat, 2 do
    local lane, from = flat[index], '(' .. flat[index + 1]
    local page = call('ZRANGEBYSCORE', line_key(lane), from, '+inf', 'WITHSCORES', 'LIMIT', 0, MOST_AT_ONCE)
    for at = 1, #page, 2 do
      local job = load_job(string.match(page[at], '^[^\31]*'))
      if job.fixed[SOURCE] or job.fixed[CONCURRENCY_KEY] then
        let_go(job.fixed, running_member(job.token, job.id))
        call('ZREM', line_key(lane), page[at])
        line_up_job(job, now)
      end
    end
    if #page < 2 * MOST_AT_ONCE then
      call('HDEL', key('leftovers'), lane)
    else
      call('HSET', key('leftovers'), lane, page[#page])
    end
    must_begin_again = true
  end
  write_lines()
end

hooks.relane, hooks.relane_line = relane, relane_line
