-- The counter is read at the first entry and written after the last one.
local sequence = nil

local function record(action, job, actor, reason, detail)
  sequence = (sequence or number(call('GET', key('audit_seq')))) + 1
  local id, subject, token = text(sequence) .. '-0', 'job:' .. job.id, text(job.token)
  if reason or detail then
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token, 'reason', reason or '', 'detail', detail or '')
  else
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token)
  end
end

local function write_audit()
  if sequence then
    call('SET', key('audit_seq'), text(sequence))
  end
end
