DELETE FROM dibs_lanes WHERE lane = ?1
