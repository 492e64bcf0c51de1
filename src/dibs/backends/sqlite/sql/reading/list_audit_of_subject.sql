SELECT sequence, at, tenant, actor, action, subject, reason, token, detail FROM dibs_audit
WHERE subject = ?5 AND sequence < ?1 AND action <> '' AND (?2 IS NULL OR tenant = ?2) AND (?3 IS NULL OR actor = ?3)
    AND (?4 IS NULL OR action = ?4) AND at >= ?6 AND at < ?7
    AND (?9 IS NULL OR action <> ?9) AND sequence >= ?10
ORDER BY sequence DESC LIMIT ?8
