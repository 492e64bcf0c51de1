--@ schedules/rows governed/acts
-- Store a schedule if the stored one has the version expected. ARGV: name, version, body, next instant or '', then
-- action, subject, tenant, actor, reason and detail of the audit entry.
local name = ARGV[1]
if find_version(name) ~= tonumber(ARGV[2]) then
  return false
end
call('HSET', schedule_key(name), 'body', ARGV[3], 'updated_at', stamp)
call('HSETNX', schedule_key(name), 'created_at', stamp)
call('HINCRBY', schedule_key(name), 'version', 1)
call('ZADD', key('schedules'), 0, name)
set_next(name, ARGV[4])
record_act(ARGV[5], ARGV[6], ARGV[7], { actor = ARGV[8], reason = ARGV[9] }, ARGV[10])
write_audit()
return read_schedule(name)
