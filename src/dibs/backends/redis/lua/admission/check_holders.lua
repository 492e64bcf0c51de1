--@ governed/rules
-- Compare what running jobs are said to hold with the running jobs themselves. Answers how many run, how many hold
-- something and do not run, how many of those that run are not counted, and how many sums are wrong.
local is_running, strays, missing, sums, wrong = {}, 0, 0, {}, 0
local members = call('ZRANGE', RUNNING, 0, -1)

local function is_held(thing, id)
  return call('SISMEMBER', key('holders:', thing), id) == 1
end

local function check_job(id)
  local fixed = cmsgpack.unpack(call('HGET', job_key(id), 'fixed'))
  local tenant, concurrency_key = fixed[TENANT], fixed[CONCURRENCY_KEY]
  local is_missing = concurrency_key and not is_held('key:' .. tenant .. '\31' .. concurrency_key, id)
  if find_rule('tenant:' .. tenant) then
    is_missing = is_missing or not is_held('tenant:' .. tenant, id)
    sums[tenant] = (sums[tenant] or 0) + (fixed[MAX_COST] or 0)
  end
  missing = missing + (is_missing and 1 or 0)
end

for _, member in ipairs(members) do
  local id = string.sub(member, 17)
  is_running[id] = true
  check_job(id)
end

for _, thing in ipairs(call('SMEMBERS', key('counted'))) do
  for _, id in ipairs(call('SMEMBERS', key('holders:', thing))) do
    strays = strays + (is_running[id] and 0 or 1)
  end
end

local reserved = call('HGETALL', key('reserved'))
for index = 1, #reserved, 2 do
  wrong = wrong + ((sums[reserved[index]] or 0) == tonumber(reserved[index + 1]) and 0 or 1)
end
return { #members, strays, missing, wrong }
