--@ core jobs
-- Find jobs of one state that finished long ago, oldest first. ARGV: state, age, rank to begin at, most to find,
-- packed tenant or false, packed job types or false. Looks at a bounded number; answers what it found and where to go on.
local state, horizon, rank, most = ARGV[1], now - ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local tenant, job_types = cmsgpack.unpack(ARGV[5]), cmsgpack.unpack(ARGV[6])
local LOOK = 5000
local found, meant = {}, {}
for _, name in ipairs(job_types or {}) do
  meant[name] = true
end

local function is_meant(member)
  if not tenant and not job_types then
    return true
  end
  local fixed = cmsgpack.unpack(call('HGET', job_key(string.sub(member, 17)), 'fixed'))
  return (not tenant or fixed[TENANT] == tenant) and (not job_types or meant[fixed[JOB_TYPE]])
end

local page = call('ZRANGE', key('finished:', state), rank, rank + LOOK - 1, 'WITHSCORES')
for index = 1, #page, 2 do
  if tonumber(page[index + 1]) >= horizon or #found >= 2 * most then
    return { found, -1 }
  end
  if is_meant(page[index]) then
    found[#found + 1] = page[index]
    found[#found + 1] = page[index + 1]
  end
end
return { found, #page == 2 * LOOK and rank + LOOK or -1 }
