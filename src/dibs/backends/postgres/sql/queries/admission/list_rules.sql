SELECT body::text, set_at FROM {schema}.rules
WHERE expires_at IS NULL OR expires_at > {schema}.clock()
ORDER BY kind, name
