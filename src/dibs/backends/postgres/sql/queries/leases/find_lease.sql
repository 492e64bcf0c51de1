SELECT name, owner, token, expires_at FROM {schema}.leases
WHERE name = $1::text AND expires_at > {schema}.clock()
