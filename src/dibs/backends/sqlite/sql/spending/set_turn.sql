INSERT INTO dibs_turns (queue, tenant, place) VALUES (?1, ?2, ?3)
ON CONFLICT (queue, tenant) DO UPDATE SET place = excluded.place
