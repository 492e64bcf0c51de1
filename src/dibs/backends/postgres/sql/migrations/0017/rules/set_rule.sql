-- Waits until no transaction is open that has claimed by plain SQL, and keeps new ones out: a new cap must see what they run.
CREATE OR REPLACE FUNCTION {schema}.lock_callers() RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET lock_timeout = '5s'
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_of('callers'));
EXCEPTION WHEN lock_not_available THEN
    RAISE lock_not_available USING MESSAGE = 'a transaction that claimed by claim_next_pending_job() is still open, and a '
        'rule on a tenant must count what it runs. End it, or shut a gate, which waits for nobody';
END
$$;

-- Keeps a rule in place of the one with its kind and name; without a body, takes that away.
CREATE OR REPLACE FUNCTION {schema}.set_rule(
    its_kind text, its_name text, its_body text, gate_scope text, gate_name text, gate_mode text, gate_end timestamptz,
    act_action text, its_subject text, its_tenant text, act_actor text, act_reason text
) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before json;
BEGIN
    IF its_kind = 'tenant' AND its_body IS NOT NULL THEN
        -- First: a caller has this lock when it asks for that of the rules, and nobody's claims wait for a caller.
        PERFORM lock_callers();
    END IF;
    PERFORM lock_rules();
    DELETE FROM rules WHERE kind = its_kind AND name = its_name RETURNING body INTO before;
    IF its_body IS NOT NULL THEN
        INSERT INTO rules (kind, name, body, scope, scope_name, mode, set_at, expires_at)
        VALUES (its_kind, its_name, its_body::json, gate_scope, gate_name, gate_mode, clock(), gate_end);
    END IF;
    INSERT INTO audit (at, tenant, actor, action, subject, reason, detail)
    VALUES (
        clock(), its_tenant, act_actor, act_action, its_subject, act_reason,
        json_build_object('before', before, 'after', its_body::json)
    );
    -- Claims look at the rules from now on, and whoever was refused by this one may try again.
    PERFORM post_news(ARRAY['rules'] || CASE its_kind
        WHEN 'tenant' THEN ARRAY['tenant:' || its_name]
        WHEN 'gate' THEN '{gate}'
        WHEN 'key' THEN ARRAY (
            SELECT DISTINCT subject FROM barriers
            WHERE barrier LIKE 'key:%' AND (
                split_part(barrier, E'\x1f', 2) = its_name
                OR (right(its_name, 1) = ':' AND starts_with(split_part(barrier, E'\x1f', 2), its_name))
            )
        )
    END);
END
$$;
