--@ governed/ruling governed/acts
-- Keep a rule, or take it away. ARGV: kind, name, packed rule or '', as JSON or 'null', action, subject, tenant of the
-- audit entry, actor, reason, scope and name of a gate, the packed rule that is to be replaced or '' for any.
local kind, name, packed, after = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local SET_AT = 2
local field = kind .. ':' .. name
local before = call('HGET', key('rules'), field)
if ARGV[12] ~= '' and before ~= ARGV[12] then
  return 0
end

if packed == '' then
  call('HDEL', key('rules'), field)
elseif kind == 'gate' then
  local gate = cmsgpack.unpack(packed)
  gate[SET_AT] = now
  call('HSET', key('rules'), field, cmsgpack.pack(gate))
else
  call('HSET', key('rules'), field, packed)
end
forget_rules()

if kind == 'tenant' then
  forget_holders(name)
  if packed ~= '' then
    count_holders(name)
  end
  free_tenant(name)
elseif kind == 'queue' then
  move_queue(name)
elseif kind == 'key' then
  drop_strays(name)
  free_keys(name)
else
  free_thing(ARGV[10] .. ':' .. ARGV[11])
end

local detail = '{"before":' .. (before and cmsgpack.unpack(before)[1] or 'null') .. ',"after":' .. after .. '}'
record_act(ARGV[5], ARGV[6], ARGV[7], { actor = ARGV[8], reason = ARGV[9] }, detail)
write_audit()
wake_all()
tell_queues()
return 1
