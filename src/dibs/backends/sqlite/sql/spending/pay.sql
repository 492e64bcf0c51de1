INSERT INTO dibs_spent (tenant, day, microcents) VALUES (?1, ?2, ?3)
ON CONFLICT (tenant, day) DO UPDATE SET microcents = microcents + excluded.microcents
