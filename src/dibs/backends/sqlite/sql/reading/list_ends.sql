SELECT (SELECT min(seq) FROM dibs_jobs), (SELECT max(seq) FROM dibs_jobs)
