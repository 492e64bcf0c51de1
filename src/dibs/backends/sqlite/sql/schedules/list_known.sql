SELECT asked.key FROM json_each(?3) AS asked
WHERE EXISTS (SELECT 1 FROM dibs_fires WHERE tenant = ?1 AND name = ?2 AND instant = json_extract(asked.value, '$[0]'))
    OR EXISTS (SELECT 1 FROM dibs_jobs WHERE id = json_extract(asked.value, '$[1]'))
