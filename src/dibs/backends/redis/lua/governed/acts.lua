--@ audit
-- What was done to something else than a job.
local function record_act(action, subject, owner, act, detail)
  call('XADD', key('audit'), next_entry(1), 'at', stamp, 'tenant', owner, 'actor', act.actor, 'action', action,
    'subject', subject, 'token', '', 'reason', act.reason, 'detail', detail or '')
end
