-- What a program needs that stores and works jobs, and nothing more: it cannot change or delete what the log says.
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {schema}.schema_version FROM {role};
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {schema}.audit, {schema}.seals, {schema}.seal_marks FROM {role};
-- The number of an entry is the server's to give.
GRANT INSERT (at, token, tenant, actor, action, subject, reason, detail) ON {schema}.audit TO {role};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {role};
REVOKE EXECUTE ON FUNCTION {schema}.forget_sealed(text, bigint) FROM {role};
