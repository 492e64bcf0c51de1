--@ governed/lanes
-- Code of the first day of version 3 named lanes without what their jobs may cost. Nothing is given out of such a lane:
-- its jobs move to the lanes that are theirs. In a block, because a script has room for 200 names and the claim needs
-- almost all of them.
do
  local MOST_MOVED = 1000

  local function move_jobs(members)
    for _, member in ipairs(members) do
      local job = load_job(string.match(member, '^[^\31]*'))
      if job and (job.state == 'pending' or job.state == 'retryable') then
        line_up_job(job, job.run_at)
      end
    end
  end

  -- Tells how many entries were looked at, nil where the name is one of today.
  function hooks.rename(lane)
    local _, _, _, _, _, cost = split_lane(lane)
    if cost ~= '' then
      return nil
    end
    local members = call('ZRANGE', line_key(lane), 0, MOST_MOVED - 1)
    move_jobs(members)
    send('ZREM', line_key(lane), members)
    settle(lane)
    write_lines()
    return #members
  end
end
