--@ core
-- Count all jobs by state, from the sizes of the sets.
local function size(name)
  return call('ZCARD', key(name))
end
local running, retryable = size('running'), size('retryable')
return {
  'pending', size('active') - running - retryable, 'running', running, 'retryable', retryable,
  'succeeded', size('done:succeeded'), 'failed', size('done:failed'), 'cancelled', size('done:cancelled'),
}
