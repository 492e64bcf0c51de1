--@ core
-- A job as readers get it; the order is that of `rows.py`. When a lease ends stands only in `running`.
local function read_row(id)
  local row = call('HMGET', job_key(id), 'fixed', 'input', 'state', 'priority', 'run_at', 'created_at', 'seq',
    'token', 'lock', 'heartbeat_at', 'started_at', 'finished_at', 'attempts', 'deaths', 'cost', 'output', 'error',
    'progress')
  if not row[1] then
    return false
  end
  row[19] = row[3] == 'running' and call('ZSCORE', RUNNING, string.format('%016.0f', row[8]) .. id)
  row[20] = id
  return row
end
