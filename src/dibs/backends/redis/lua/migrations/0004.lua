--@ governed/renaming
-- Lanes are named by what their jobs may cost, too. Lanes that were named otherwise are looked for and emptied, some in
-- each call, whoever makes it; `renaming` tells how far that came. ARGV: the version, the oldest code that can live with
-- it. Answers 2 while there is more to do.
local MOST_LANES, MOST_JOBS = 1000, 1000
local schema = key('schema')

if number(call('HGET', schema, 'version')) >= tonumber(ARGV[1]) then
  return 0
end
-- There was no mark at first that something is governed.
if call('EXISTS', key('rules'), key('shelf_of'), key('counted'), key('probes')) > 0 then
  mark_governing()
end

local page = call('HSCAN', key('shelf_of'), call('HGET', schema, 'renaming') or '0', 'COUNT', MOST_LANES)
local looked_at, was_found = 0, false
for index = 1, #page[2], 2 do
  local moved = hooks.rename(page[2][index])
  if moved then
    looked_at, was_found = looked_at + moved, true
  end
  if looked_at >= MOST_JOBS then
    break
  end
end

if was_found then
  -- Whoever named them so cannot read the names of today.
  call('HSET', schema, 'oldest_code', ARGV[1])
end
tell_queues()
if looked_at >= MOST_JOBS then
  return 2
end
call('HSET', schema, 'renaming', page[1])
if page[1] ~= '0' then
  return 2
end
call('HDEL', schema, 'renaming')
local oldest_code = math.max(number(call('HGET', schema, 'oldest_code')), tonumber(ARGV[2]))
call('HSET', schema, 'version', ARGV[1], 'oldest_code', oldest_code, 'at:' .. ARGV[1], stamp)
return 1
