--@ governed/rules
-- Read all that decides whether a job may run, as it is kept. ARGV: the id.
local id = ARGV[1]
local packed = call('HGET', job_key(id), 'fixed')
if not packed then
  return false
end
local fixed = cmsgpack.unpack(packed)
local tenant, source, concurrency_key = fixed[TENANT], fixed[SOURCE], fixed[CONCURRENCY_KEY]

local function read_rules(...)
  return call('HMGET', key('rules'), ...)
end

-- How many hold a thing, this job not counted; and whether it does.
local function count_others(thing)
  local is_mine = call('SISMEMBER', key('holders:', thing), id)
  return call('SCARD', key('holders:', thing)) - is_mine, is_mine
end

local function read_source()
  local prober = call('HGET', key('probes'), source)
  local is_probing = prober and call('ZSCORE', RUNNING, prober) and string.sub(prober, 17) ~= id
  return { source, call('HGETALL', key('source:', source)), count_others('source:' .. source), is_probing and 1 or 0 }
end

local function read_key()
  local family = string.match(concurrency_key, '^[^:]*:') or concurrency_key
  local count = count_others('key:' .. tenant .. '\31' .. concurrency_key)
  return { read_rules('key:' .. concurrency_key, 'key:' .. family), count }
end

local function read_tenant()
  local rule = read_rules('tenant:' .. tenant)[1]
  local count, is_mine = count_others('tenant:' .. tenant)
  return rule and {
    rule, count, call('HGET', key('reserved'), tenant) or '0', is_mine == 1 and text(fixed[MAX_COST] or 0) or '0',
    call('HGETALL', key('spent:', tenant)),
  }
end

local gates = read_rules('gate:global', 'gate:tenant:' .. tenant, 'gate:queue:' .. fixed[QUEUE],
  'gate:job_type:' .. fixed[JOB_TYPE], 'gate:source:' .. (source or ''))
return { stamp, gates, source and read_source() or false, concurrency_key and read_key() or false, read_tenant() }
