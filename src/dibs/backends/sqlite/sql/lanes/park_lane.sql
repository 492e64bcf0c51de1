UPDATE dibs_lanes SET parked_on = ?2 WHERE lane = ?1
