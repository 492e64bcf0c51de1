SELECT {job_columns} FROM dibs_jobs WHERE id = ?1
