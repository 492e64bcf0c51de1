--@ core
-- Who holds a unique key. `held:` has the unfinished jobs of a key, `key:` all of them, by the order of storing.
local function latest_where(zset, fits)
  local from = 0
  repeat
    local ids = call('ZREVRANGE', zset, from, from + 9)
    for _, id in ipairs(ids) do
      if fits(id) then
        return id
      end
    end
    from = from + 10
  until #ids < 10
  return nil
end

local function find_rival(name, hold, window)
  if hold == 'window' then
    return latest_where(key('key:', name), function(id)
      return number(call('HGET', job_key(id), 'created_at')) > now - window
    end)
  end
  return latest_where(key('held:', name), function(id)
    return hold ~= 'pending' or call('HGET', job_key(id), 'state') == 'pending'
  end)
end
