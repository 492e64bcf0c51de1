--@ governed/lanes
-- Name the job that stands first where another one waits. ARGV: the id. False: that one does, or it does not stand there.
local id = ARGV[1]
local packed = call('HGET', job_key(id), 'fixed')
if not packed then
  return false
end
local fixed = cmsgpack.unpack(packed)
local member = id .. '\31' .. fixed[TENANT]

for _, lane in ipairs({ full_lane(fixed), lane_of(fixed) }) do
  if call('ZSCORE', line_key(lane), member) then
    for _, other in ipairs(call('ZRANGE', line_key(lane), 0, 15)) do
      local first = load_job(string.match(other, '^[^\31]*'))
      if first and (first.state == 'pending' or first.state == 'retryable') then
        return first.id ~= id and first.id
      end
    end
  end
end
return false
