SELECT 1 FROM dibs_seals WHERE sequence IN (SELECT value FROM json_each(?1)) LIMIT 1
