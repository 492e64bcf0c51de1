--@ governed/lanes
-- Let jobs of a plain line that are governed by now wait where the rules want them. ARGV: the lane, the place to go on
-- from, most to look at. Answers where to go on, or false.
local lane, most = ARGV[1], tonumber(ARGV[3])
local page = call('ZRANGEBYSCORE', line_key(lane), '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, most)
local queue = string.match(lane, '^[^\31]*')
local leaving = {}

for index = 1, #page, 2 do
  local id, tenant = string.match(page[index], '^([^\31]*)\31(.*)$')
  if is_governed(queue, tenant) then
    local job = load_job(id)
    leaving[#leaving + 1] = page[index]
    line_up_job(job, now)
  end
end

send('ZREM', line_key(lane), leaving)
write_lines()
if call('EXISTS', line_key(lane)) == 0 then
  call('ZREM', key('lanes'), lane)
end
return #page == 2 * most and page[#page] or false
