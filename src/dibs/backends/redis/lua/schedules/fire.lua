--@ schedules/from_sixth storing/adding storing/cancelling schedules/rows storing/governed_jobs governed/acts
-- Fire instants of a schedule, all or none. ARGV: see adding; the fifth is what is asked, packed; then the jobs.
-- Answers `superseded`, `again` when one of the instants has fired meanwhile, or `fired` with what became of them.
local asked = cmsgpack.unpack(ARGV[5])
local name, act = asked.name, asked.act

local function has_fired_any()
  for _, instant in ipairs(asked.instants) do
    if call('ZCOUNT', key('fires:', name), instant, instant) > 0 then
      return true
    end
  end
  return find_known_id() ~= nil
end

local function cancel_rivals()
  local cancelled = {}
  for _, unique in ipairs(asked.cancel_keys) do
    for _, id in ipairs(call('ZRANGE', key('held:', unique), 0, -1)) do
      cancel_job(load_job(id), asked.canceller, asked.cancel_reason)
      cancelled[#cancelled + 1] = id
    end
  end
  return cancelled
end

-- Where the answer is a row, its last value is the id of the job that was there.
local function find_job_id(index, answer)
  if answer == 0 then
    return ''
  end
  return type(answer) == 'table' and answer[20] or jobs[index][ID]
end

if find_version(name) ~= asked.version then
  return { 'superseded' }
end
if has_fired_any() then
  return { 'again' }
end

local cancelled = cancel_rivals()
local answers = #jobs > 0 and add_all() or {}
local ids = {}
for index, instant in ipairs(asked.instants) do
  ids[index] = find_job_id(index, answers[index])
  call('ZADD', key('fires:', name), instant, instant .. ' ' .. stamp .. ' ' .. ids[index])
  call('ZADD', key('fires_by_age'), stamp, name .. '\31' .. instant)
end
call('HINCRBY', schedule_key(name), 'version', 1)
call('HSET', schedule_key(name), 'updated_at', stamp)
set_instant(name, 'last_fired_at', asked.last_fired_at)
set_next(name, asked.next_at)
if act then
  record_act(act[1], act[2], act[3], { actor = act[4], reason = act[5] }, act[6])
end
write_ends()
write_audit()
tell_queues()
return { 'fired', stamp, ids, cancelled }
