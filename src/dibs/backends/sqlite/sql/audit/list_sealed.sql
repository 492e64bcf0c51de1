SELECT seals.tenant, seals.position, seals.sequence, seals.hash, entries.sequence, entries.at, entries.tenant,
    entries.actor, entries.action, entries.subject, entries.reason, entries.token, entries.detail
FROM dibs_seals AS seals LEFT JOIN dibs_audit AS entries ON entries.sequence = seals.sequence AND entries.action <> ''
WHERE seals.tenant = ?1 AND seals.position > ?2
ORDER BY seals.position LIMIT ?3
