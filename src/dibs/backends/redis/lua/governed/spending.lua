--@ jobs governed/today
-- What tenants have spent: `spent:<tenant>` by UTC day. Counted by Redis, in whole numbers of 64 bits.
local DAYS_KEPT = 100

local function add_cost(id, tenant, amount)
  if amount == '0' then
    return
  end
  call('HINCRBY', job_key(id), 'cost', amount)
  local where = key('spent:', tenant)
  if call('HINCRBY', where, text(today), amount) == tonumber(amount) then
    for _, day in ipairs(call('HKEYS', where)) do
      if tonumber(day) < today - DAYS_KEPT then
        call('HDEL', where, day)
      end
    end
  end
end
