SELECT sequence, at, tenant, actor, action, subject, reason, token, detail FROM dibs_audit
WHERE sequence < ?1 AND action <> '' AND (?2 IS NULL OR tenant = ?2) AND (?3 IS NULL OR actor = ?3)
    AND (?4 IS NULL OR action = ?4) AND (?5 IS NULL OR subject = ?5) AND at >= ?6 AND at < ?7
    AND (?9 IS NULL OR action <> ?9) AND sequence >= ?10
ORDER BY sequence DESC LIMIT ?8
