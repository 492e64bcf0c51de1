-- The tenants that wait in fair queues, by the turns that they have had: a row for each type of which a tenant has a lane
-- before which no barrier stands. Who has none any more stays until a claim comes by, and leaves then. 0 stands for every
-- turn that is not ahead of the queue. The row without a tenant tells that the queue is kept here at all.
-- Written by whoever holds the door, nobody else.
CREATE TABLE {schema}.ring (
    turn     bigint NOT NULL,
    queue    text COLLATE "C" NOT NULL,
    tenant   text COLLATE "C" NOT NULL,
    job_type text COLLATE "C" NOT NULL,
    PRIMARY KEY (queue, tenant, job_type)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ring_turns ON {schema}.ring (queue, job_type, turn, tenant);

-- Roles that take turns already go on doing so, without being let in again.
DO $$
DECLARE
    allowed record;
BEGIN
    FOR allowed IN
        SELECT role.rolname AS name, string_agg(DISTINCT held.privilege_type, ', ') AS rights
        FROM pg_class
        CROSS JOIN LATERAL aclexplode(relacl) AS held
        JOIN pg_roles AS role ON role.oid = held.grantee
        WHERE pg_class.oid = '{schema}.turns'::regclass AND held.grantee <> pg_class.relowner
        GROUP BY role.rolname
    LOOP
        EXECUTE format('GRANT %s ON {schema}.ring TO %I', allowed.rights, allowed.name);
    END LOOP;
END
$$;
