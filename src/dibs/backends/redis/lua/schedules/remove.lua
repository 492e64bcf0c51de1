--@ schedules/rows governed/acts
-- Forget a schedule that has the version expected. ARGV: name, version, then action, subject, tenant, actor, reason and
-- detail of the audit entry.
local name = ARGV[1]
if find_version(name) ~= tonumber(ARGV[2]) then
  return 0
end
call('DEL', schedule_key(name))
call('ZREM', key('schedules'), name)
call('ZREM', key('schedules_due'), name)
record_act(ARGV[3], ARGV[4], ARGV[5], { actor = ARGV[6], reason = ARGV[7] }, ARGV[8])
write_audit()
return 1
