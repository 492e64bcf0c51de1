--@ core
-- Whether there is anything that could hold a job back, or was taken by one that runs. Where there is not, a script runs
-- no other line about it. `hooks` are what scripts of plain jobs call if there is; they are defined by the parts that
-- a script needs only then.
local is_governing, is_marked, hooks = known[2] ~= false, known[2] ~= false, {}
