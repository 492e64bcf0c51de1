SELECT coalesce(max(sequence), 0) FROM dibs_audit
