SELECT {job_columns} FROM dibs_jobs WHERE id IN (SELECT value FROM json_each(?1))
