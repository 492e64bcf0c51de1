UPDATE dibs_audit
SET at = 0, tenant = '', actor = '', action = '', subject = '', reason = '', token = NULL, detail = NULL
WHERE sequence = ?3 AND action <> ''
    AND sequence IN (SELECT sequence FROM dibs_seals WHERE tenant = ?1 AND position <= ?2)
