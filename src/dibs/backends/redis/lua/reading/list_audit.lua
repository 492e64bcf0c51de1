--@ core
-- Read a piece of the log, the newest first: what fits, which numbers in it were forgotten, where the piece ended (none
-- at the end of the log), and how many it told of. ARGV: where to begin, most; tenant, actor, action, and an action that
-- is not meant, each '' for any. What a stream entry tells of has these in common.
local page = call('XREVRANGE', key('audit'), ARGV[1], '-', 'COUNT', ARGV[2])
if not page[1] then
  return { {}, {}, '', 0 }
end
local wanted = { tenant = ARGV[3], actor = ARGV[4], action = ARGV[5] }
local fitting, told = {}, 0
for _, entry in ipairs(page) do
  local flat, fits = entry[2], true
  told = told + 1
  for place = 1, #flat, 2 do
    local name, value = flat[place], flat[place + 1]
    if name == 'others' and value ~= '' then
      told = told + 1 + select(2, string.gsub(value, '\31', ''))
    elseif (name == 'action' and value == ARGV[6]) or (wanted[name] and wanted[name] ~= '' and wanted[name] ~= value) then
      fits = false
    end
  end
  if fits then
    fitting[#fitting + 1] = entry
  end
end
local last = page[#page][1]
local gone = fitting[1] and call('ZRANGEBYSCORE', key('forgotten'), string.match(last, '^%d+'), '+inf') or {}
return { fitting, gone, #page < tonumber(ARGV[2]) and '' or last, told }
