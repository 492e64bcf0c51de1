-- Two pages that give up the same body at the same moment each see the other one holding it.
DELETE FROM {schema}.bodies WHERE digest IN (
    SELECT digest FROM {schema}.bodies
    WHERE NOT EXISTS (SELECT 1 FROM {schema}.pages WHERE body = digest)
    LIMIT $1 FOR UPDATE SKIP LOCKED
)
