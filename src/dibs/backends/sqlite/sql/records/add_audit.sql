INSERT INTO dibs_audit (at, tenant, actor, action, subject, reason, token, detail)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
