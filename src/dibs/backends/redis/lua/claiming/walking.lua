--@ claiming/serving
-- Shelves are read on only when the next lane on them may be the most urgent one.
local shelves = {}

local function find_next_lane(shelf)
  repeat
    local page = shelf.page
    while page[shelf.at] do
      if not met[page[shelf.at]] and is_lane_wanted(page[shelf.at]) then
        return tonumber(page[shelf.at + 1])
      end
      shelf.at = shelf.at + 2
    end
    if shelf.is_read then
      return nil
    end
    local from = shelf.after and '(' .. shelf.after or '-inf'
    shelf.page = call('ZRANGEBYSCORE', key(shelf.name), from, '+inf', 'WITHSCORES', 'LIMIT', 0, shelf.size)
    shelf.is_read, shelf.at = #shelf.page < 2 * shelf.size, 1
    shelf.after, shelf.size = shelf.page[#shelf.page], 64
  until false
end

local function serve_shelf(shelf)
  local lane, known = shelf.page[shelf.at], shelf.is_open
  shelf.is_open = true
  if known then
    met[lane] = true
    shelf.at = shelf.at + 2
  end
  local position = shelf.place
  shelf.place = not closed[shelf.name] and find_next_lane(shelf) or nil
  if shelf.place then
    sift_down()
  else
    pop_lane()
  end
  if known and not closed[shelf.name] then
    meet(lane, position)
  end
end

local function watch_shelf(directory, name, prefix, bound)
  local shelf = {
    name = prefix .. name, directory = directory, member = name, place = tonumber(bound),
    page = {}, at = 1, size = 4, serve = serve_shelf,
  }
  shelves[#shelves + 1] = shelf
  push_lane(shelf)
end

-- The directories say what comes first on each shelf, or something before it.
local function close_shelves()
  for _, shelf in ipairs(shelves) do
    if shelf.is_open then
      local first = call('ZRANGE', key(shelf.name), 0, 0, 'WITHSCORES')
      if first[2] and not closed[shelf.name] then
        call('ZADD', key(shelf.directory), first[2], shelf.member)
      else
        call('ZREM', key(shelf.directory), shelf.member)
      end
    end
  end
end
