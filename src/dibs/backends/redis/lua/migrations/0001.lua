--@ migration
-- Jobs, attempts and the audit log: their counters exist, and never begin again.
for _, counter in ipairs({ 'seq', 'token', 'audit_seq' }) do
  call('SETNX', key(counter), 0)
end
return 1
