UPDATE dibs_lanes SET priority = ?2, seq = ?3, parked_on = '' WHERE lane = ?1
