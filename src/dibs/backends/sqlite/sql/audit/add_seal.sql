INSERT INTO dibs_seals (tenant, position, sequence, hash) VALUES (?1, ?2, ?3, ?4)
