--@ jobs
-- The counter is read at the first entry and written after the last one.
local sequence = nil
local MOST_TOGETHER = 100
local successes = {}

local function next_entry(amount)
  local first = (sequence or number(call('GET', key('audit_seq')))) + 1
  sequence = first + amount - 1
  return text(first) .. '-0'
end

local function record(action, job, actor, reason, detail)
  local id, subject, token = next_entry(1), 'job:' .. job.id, text(job.token)
  if reason or detail then
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token, 'reason', reason or '', 'detail', detail or '')
  else
    call('XADD', key('audit'), id, 'at', stamp, 'tenant', job.fixed[TENANT], 'actor', actor, 'action', action,
      'subject', subject, 'token', token)
  end
end

-- Successes of one worker and tenant that follow each other are one entry of the stream, named by the number of the
-- first. `subject` and `token` tell the first; `others` the rest, as they stood in `running`.
local function write_successes()
  local first = successes[1]
  if first then
    call('XADD', key('audit'), next_entry(#successes), 'at', stamp, 'tenant', successes.tenant,
      'actor', successes.worker, 'action', 'JOB_SUCCEEDED', 'subject', 'job:' .. string.sub(first, 17),
      'token', text(tonumber(string.sub(first, 1, 16))), 'others', table.concat(successes, '\31', 2))
  end
  successes = {}
end

local function record_success(member, tenant, worker)
  if successes.tenant ~= tenant or successes.worker ~= worker or #successes == MOST_TOGETHER then
    write_successes()
    successes.tenant, successes.worker = tenant, worker
  end
  successes[#successes + 1] = member
end

local function write_audit()
  write_successes()
  if sequence then
    call('SET', key('audit_seq'), text(sequence))
  end
end
