SELECT {waiting_columns} FROM dibs_jobs WHERE seq = ?1 AND ready = 2
