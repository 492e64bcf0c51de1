UPDATE dibs_lanes SET parked_on = ''
WHERE lane = (SELECT lane FROM dibs_jobs WHERE seq = ?1 AND ready = 2) AND parked_on <> ''
