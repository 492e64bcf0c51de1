--@ governed/freeing
-- What running jobs hold: `holders:<thing>` has the jobs that run with a key or of a ruled tenant, and for a source
-- those that have not spent their permit. All of it can be told from `running` again; `counted` names the sets.
local probes_of = nil

local function add_holder(thing, id)
  call('SADD', key('holders:', thing), id)
  call('SADD', key('counted'), thing)
  mark_governing()
end

local function drop_holder(thing, id)
  if call('SREM', key('holders:', thing), id) == 0 then
    return false
  end
  if call('EXISTS', key('holders:', thing)) == 0 then
    call('SREM', key('counted'), thing)
  end
  free_thing(thing)
  return true
end

local function key_thing(fixed)
  return 'key:' .. fixed[TENANT] .. '\31' .. fixed[CONCURRENCY_KEY]
end

-- Counted by Redis, in whole numbers of 64 bits: Lua's numbers would round a large sum.
local function reserve(tenant, sign, amount)
  if amount and amount > 0 then
    call('HINCRBY', key('reserved'), tenant, sign .. text(amount))
  end
end

local function hold(fixed, id)
  if fixed[CONCURRENCY_KEY] then
    add_holder(key_thing(fixed), id)
  end
  if fixed[SOURCE] then
    add_holder('source:' .. fixed[SOURCE], id)
  end
  if find_rule('tenant:' .. fixed[TENANT]) then
    add_holder('tenant:' .. fixed[TENANT], id)
    reserve(fixed[TENANT], '', fixed[MAX_COST])
  end
end

-- The probe of a broken source is the member of `running` that tries it.
local function end_probes(member)
  if not is_governing then
    return
  end
  probes_of = probes_of or call('HGETALL', key('probes'))
  for index = 2, #probes_of, 2 do
    if probes_of[index] == member then
      call('HDEL', key('probes'), probes_of[index - 1])
      free_thing('source:' .. probes_of[index - 1])
    end
  end
end

-- A job does not run any more: everything that it held goes back, in this very script.
local function let_go(fixed, member)
  local id = string.sub(member, 17)
  if fixed[CONCURRENCY_KEY] then
    drop_holder(key_thing(fixed), id)
  end
  if fixed[SOURCE] then
    drop_holder('source:' .. fixed[SOURCE], id)
  end
  if find_rule('tenant:' .. fixed[TENANT]) and drop_holder('tenant:' .. fixed[TENANT], id) then
    reserve(fixed[TENANT], '-', fixed[MAX_COST])
    free_budgets(fixed[TENANT])
  end
  end_probes(member)
end

hooks.let_go = let_go
