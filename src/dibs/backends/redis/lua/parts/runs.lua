--@ core
-- Jobs that were claimed together mostly end together, and then stand side by side. Such members are removed by rank,
-- by a command of four words; named, each would be a word that the server makes, keeps, and writes to its log.
local LEAST_TO_TRY, LEAST_PART = 8, 4

local function count_alike(found, members, from)
  local count = 0
  while found[count + 1] and found[count + 1] == members[from + count] do
    count = count + 1
  end
  return count
end

-- Answers how many were removed, which are the first ones. Where they stand too far apart, the rest is left.
local function remove_runs(where, members)
  local from, size = 1, #members
  while from <= size and size >= LEAST_TO_TRY do
    local rank = call('ZRANK', where, members[from])
    local found = rank and call('ZRANGE', where, rank, rank + size - from) or {}
    local count = count_alike(found, members, from)
    if count * LEAST_PART <= size - from then
      break
    end
    call('ZREMRANGEBYRANK', where, rank, rank + count - 1)
    from = from + count
  end
  return from - 1
end
