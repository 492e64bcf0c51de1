--@ core
-- Whether there is anything that could hold a job back, or was taken by one that runs. Where there is not, a script runs
-- no other line about it. `hooks` are what scripts of plain jobs call if there is.
local is_governing, is_marked, hooks = known[2] ~= false, known[2] ~= false, {}

-- Whoever writes the first rule, governed lane or holder says so; a claim that finds none of them any more takes it back.
local function mark_governing()
  if not is_marked then
    call('SET', key('governing'), 1)
    is_governing, is_marked = true, true
  end
end
