UPDATE dibs_lanes SET parked_on = '' WHERE parked_on = ?1
