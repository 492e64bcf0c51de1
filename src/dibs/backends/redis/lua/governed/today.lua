--@ core
-- UTC days are counted from 1970.
local DAY = 86400000000
local today = math.floor(now / DAY)
