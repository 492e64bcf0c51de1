SELECT (SELECT min(sequence) FROM dibs_audit), (SELECT max(sequence) FROM dibs_audit)
