SELECT id FROM {schema}.finished_jobs WHERE id = ANY ($1::text[]) LIMIT 1
