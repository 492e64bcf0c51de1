--@ core
-- Whether there is anything that could hold a job back, or was taken by one that runs. Where there is not, a script asks
-- this one question and runs no other line about it. `hooks` are what scripts of plain jobs call if there is.
local is_governing = call('EXISTS', key('rules'), key('shelf_of'), key('counted'), key('probes'), key('leftovers')) > 0
local hooks = {}
