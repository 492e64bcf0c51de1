--@ governed/acts
-- Add entries, all or none. ARGV: for each its action, subject, tenant, actor, reason and detail.
for index = 1, #ARGV, 6 do
  local act = { actor = ARGV[index + 3], reason = ARGV[index + 4] }
  record_act(ARGV[index], ARGV[index + 1], ARGV[index + 2], act, ARGV[index + 5])
end
write_audit()
return 1
