SELECT (SELECT min(seq) FROM {schema}.finished_jobs) AS lowest, (SELECT max(seq) FROM {schema}.finished_jobs) AS highest
