INSERT INTO dibs_rules (kind, name, rule, set_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (kind, name) DO UPDATE SET rule = excluded.rule, set_at = excluded.set_at
