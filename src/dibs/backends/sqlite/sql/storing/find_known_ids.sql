SELECT id FROM dibs_jobs WHERE id IN (SELECT value FROM json_each(?1)) AND seq < ?2
