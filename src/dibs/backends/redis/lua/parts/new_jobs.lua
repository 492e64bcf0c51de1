--@ lines
-- The jobs to store, from ARGV[FIRST] on: three arguments each.
local ID, LANE, TENANT_NAME, PRIORITY, RUN_AT, KEY_NAME, IS_BOUND = 1, 2, 3, 4, 5, 6, 7
local jobs, keys = {}, {}

-- The job that another one replaces may be governed.
is_governing = is_governing or (ARGV[4] == 'replace' and ARGV[2] ~= '')
for index = FIRST, #ARGV, 3 do
  local job = cmsgpack.unpack(ARGV[index])
  job.fixed, job.input = ARGV[index + 1], ARGV[index + 2]
  is_governing = is_governing or job[IS_BOUND]
  jobs[#jobs + 1] = job
  keys[#keys + 1] = job_key(job[ID])
end

-- A script does not roll back: every id is looked at before the first write.
local function find_known_id()
  for from = 1, #keys, 5000 do
    local upto = math.min(from + 4999, #keys)
    if call('EXISTS', unpack(keys, from, upto)) > 0 then
      for index = from, upto do
        if call('EXISTS', keys[index]) == 1 then
          return jobs[index][ID]
        end
      end
    end
  end
  return nil
end
