--@ governed/source_rows governed/holders
-- Spend one permit now. ARGV: see source_rows; then the job's member in `running`, '' outside of jobs.
local member = ARGV[4]
local id = string.sub(member, 17)
if member ~= '' and not call('ZSCORE', RUNNING, member) then
  return { 'lost' }
end

-- One that nobody knew yet is never refused.
local source = get_source()
local holders = key('holders:source:', name)
local reserved = call('SCARD', holders) - call('SISMEMBER', holders, id)
local prober = find_prober()
local why, until_then = find_wait(source, reserved, prober and string.sub(prober, 17) ~= id)
if why then
  return { 'refused', until_then and text(until_then) or false }
end

if member == '' and is_broken(source) then
  -- It cannot be seen to end: it has the length of a pause to itself.
  call('HSET', where, 'paused_until', text(now + source.rule[PAUSE]))
elseif is_broken(source) then
  call('HSET', key('probes'), name, member)
  mark_governing()
end
call('HSET', where, 'next_free_at', text(math.max(now, source.next_free_at or now) + source.rule[INTERVAL]),
  'quota_day', today, 'quota_used', source.used_today + 1)
drop_holder('source:' .. name, id)
tell_queues()
return { 'granted' }
