--@ lines
-- What a claim has taken so far. `governed_ids` are those that went through a governed lane, `probe_of` has the broken
-- sources that some of them try.
local taken, place_of, governed_ids, probe_of = {}, {}, {}, {}
local parked, must_begin_again, looked_at = 0, false, 0
