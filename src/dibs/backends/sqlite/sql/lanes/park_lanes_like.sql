UPDATE dibs_lanes SET parked_on = ?1
WHERE lane IN (
    SELECT lane FROM dibs_lanes INDEXED BY dibs_lanes_tenant
    WHERE parked_on = ?2 AND queue = ?3 AND job_type = ?4 AND tenant = ?5 AND source = ?6 LIMIT ?7
)
