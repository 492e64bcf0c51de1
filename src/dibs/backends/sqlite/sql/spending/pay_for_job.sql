INSERT INTO dibs_spent (tenant, day, microcents) SELECT tenant, ?2, ?3 FROM dibs_jobs WHERE id = ?1
ON CONFLICT (tenant, day) DO UPDATE SET microcents = microcents + excluded.microcents
