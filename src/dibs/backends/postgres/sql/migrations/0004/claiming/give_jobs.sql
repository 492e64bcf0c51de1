-- Gives jobs that may run to a worker. Where nothing governed waits, plain ones go without passing the door.
CREATE FUNCTION {schema}.give_jobs(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    picked text[];
    governed text[];
    has_rules boolean := has_rules();
    is_plain boolean := NOT has_governed(queues, job_types);
BEGIN
    IF is_plain OR NOT enter_door() THEN
        -- Also when somebody keeps the door for long: plain jobs must not wait for that.
        picked := pick_plain(queues, job_types, only_tenant, wanted, has_rules);
        governed := find_governed(picked, has_rules);
        IF governed <> '{}' THEN
            IF is_plain AND enter_door() THEN
                RETURN QUERY SELECT * FROM admit_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
                RETURN;
            END IF;
            picked := ARRAY (
                SELECT id FROM unnest(picked) WITH ORDINALITY AS chosen (id, place)
                WHERE id <> ALL (governed)
                ORDER BY place
            );
        END IF;
        IF picked = '{}' THEN
            RETURN;
        END IF;
        RETURN QUERY
        UPDATE jobs
        SET state = 'running', ready = false, lease_token = nextval('tokens'), locked_by = worker,
            locked_at = clock(), heartbeat_at = clock(), lease_expires_at = clock() + micros(lease_micros),
            started_at = coalesce(started_at, clock())
        FROM unnest(picked) AS chosen (id)
        WHERE jobs.id BETWEEN chosen.id AND chosen.id
        RETURNING jobs.*;
    ELSE
        RETURN QUERY SELECT * FROM admit_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
    END IF;
END
$$;
