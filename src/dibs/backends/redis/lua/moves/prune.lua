--@ core jobs
-- Forget finished jobs that still are what `find_old` saw. ARGV: actor or '', reason, tenant of the audit entry,
-- then for each its state, member and time of finishing.
local count = 0

local function forget(job, member)
  call('DEL', job_key(job.id), key('attempts:', job.id))
  call('ZREM', key('done:', job.state), job.id)
  call('ZREM', key('finished:', job.state), member)
  if job.fixed[UNIQUE_KEY] then
    call('ZREM', key('key:', unique_name(job.fixed)), job.id)
  end
end

for index = 4, #ARGV, 3 do
  local state, member, finished_at = ARGV[index], ARGV[index + 1], tonumber(ARGV[index + 2])
  if tonumber(call('ZSCORE', key('finished:', state), member) or -1) == finished_at then
    forget(load_job(string.sub(member, 17)), member)
    count = count + 1
  end
end

if ARGV[1] ~= '' then
  local sequence = call('INCR', key('audit_seq'))
  call('XADD', key('audit'), text(sequence) .. '-0', 'at', stamp, 'tenant', ARGV[3], 'actor', ARGV[1],
    'action', 'JOBS_PURGED', 'subject', 'jobs', 'token', '', 'reason', ARGV[2], 'detail', '{"count":' .. count .. '}')
end
return count
