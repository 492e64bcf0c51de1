DELETE FROM dibs_audit
WHERE sequence IN (SELECT sequence FROM dibs_seals WHERE tenant = ?1 AND position <= ?2) AND sequence < ?3 AND action <> ''
