SELECT sequence, at, tenant, actor, action, subject, reason, token, detail FROM dibs_audit
WHERE sequence > (SELECT value FROM dibs_counters WHERE name = 'sealed') AND action <> ''
    AND NOT EXISTS (SELECT 1 FROM dibs_seals WHERE dibs_seals.sequence = dibs_audit.sequence)
ORDER BY sequence LIMIT ?1
