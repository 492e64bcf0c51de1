-- Between which numbers jobs lie, and how large the table of unfinished ones is.
SELECT (SELECT min(seq) FROM {schema}.finished_jobs) AS lowest,
    (SELECT last_value FROM {schema}.jobs_seq_seq) AS highest,
    pg_relation_size('{schema}.jobs') AS size
