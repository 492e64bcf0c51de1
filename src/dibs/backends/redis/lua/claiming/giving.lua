--@ claiming/handing governed/deciding governed/holders
-- What governed jobs take with them when they are given away.
local ONE_TURN = 720720

local function give(job)
  local fixed = job.fixed
  taken[#taken + 1] = job.id
  place_of[job.id] = place(job.priority, job.seq)
  governed_ids[job.id] = true
  hold(fixed, job.id)
  local source = fixed[SOURCE] and find_source(fixed[SOURCE])
  if source and is_broken(source) then
    probe_of[job.id], probed_here[source.name] = source.name, true
  end
  if is_fair(fixed[QUEUE]) then
    local rule = find_rule('tenant:' .. fixed[TENANT])
    take_turn(fixed[QUEUE], fixed[TENANT], rule and rule[TURN] or ONE_TURN)
  end
end
