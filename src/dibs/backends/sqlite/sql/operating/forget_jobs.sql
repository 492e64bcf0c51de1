DELETE FROM dibs_jobs WHERE seq IN (SELECT value FROM json_each(?1))
