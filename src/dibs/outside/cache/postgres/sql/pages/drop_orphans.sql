DELETE FROM {schema}.bodies WHERE digest IN (
    SELECT digest FROM {schema}.bodies
    WHERE digest = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM {schema}.pages WHERE body = digest)
    FOR UPDATE SKIP LOCKED
)
