UPDATE dibs_lanes SET parked_on = ''
WHERE lane IN (SELECT lane FROM dibs_lanes INDEXED BY dibs_lanes_order WHERE parked_on = ?1 LIMIT ?2)
