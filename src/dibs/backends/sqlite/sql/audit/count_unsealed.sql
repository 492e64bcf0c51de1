SELECT count(*) FROM dibs_audit
WHERE sequence > (SELECT value FROM dibs_counters WHERE name = 'sealed') AND action <> ''
    AND (?1 IS NULL OR tenant = ?1)
    AND NOT EXISTS (SELECT 1 FROM dibs_seals WHERE dibs_seals.sequence = dibs_audit.sequence)
