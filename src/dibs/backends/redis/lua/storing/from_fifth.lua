-- Where the jobs begin among the arguments.
local FIRST = 5
