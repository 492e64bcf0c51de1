--@ governed/source_rows governed/holders
-- Spend one permit now. ARGV: see source_rows; then the job's member in `running`, '' outside of jobs, and the token of
-- the fetch whose redirect is followed, '' where there is none.
local member, hop_of = ARGV[4], tonumber(ARGV[5])
local id = string.sub(member, 17)
if member ~= '' and not call('ZSCORE', RUNNING, member) then
  return { 'lost' }
end

-- Behind a draining gate running jobs may go on.
local gate = find_rule('gate:source:' .. name)
if gate and (not gate[GATE_EXPIRES] or now < gate[GATE_EXPIRES]) and (gate[GATE_MODE] == 'closed' or member == '') then
  return { 'refused', gate[GATE_EXPIRES] and text(gate[GATE_EXPIRES]) or false }
end

-- One that nobody knew yet is never refused.
local source = get_source()
local holders = key('holders:source:', name)
local reserved = call('SCARD', holders) - call('SISMEMBER', holders, id)
local prober = find_prober()
local why, until_then = find_wait(source, reserved, prober and string.sub(prober, 17) ~= id, hop_of)
if why then
  return { 'refused', until_then and text(until_then) or false }
end

local token = tonumber(string.sub(member, 1, 16)) or 0
if member == '' and is_broken(source) then
  -- It cannot be seen to end: it has the length of a pause to itself.
  token = hop_of and hop_of > 0 and hop_of or next_token()
  call('HSET', where, 'paused_until', text(now + source.rule[PAUSE]), 'lone_probe', text(token))
elseif is_broken(source) then
  call('HSET', key('probes'), name, member)
  mark_governing()
end
call('HSET', where, 'next_free_at', text(next_free(source) + source.rule[INTERVAL]))
if tonumber(source.quota_day) == today then
  call('HINCRBY', where, 'quota_used', 1)
elseif tonumber(source.earlier_day) == today then
  call('HINCRBY', where, 'earlier_used', 1)
else
  if source.quota_day then
    call('HSET', where, 'earlier_day', source.quota_day, 'earlier_used', source.quota_used)
  end
  call('HSET', where, 'quota_day', today, 'quota_used', 1)
end
drop_holder('source:' .. name, id)
tell_queues()
return { 'granted', text(token) }
