-- The lane of a job; NULL for a plain one. All jobs of a lane meet the same obstacles.
-- `has_rules` is asked once a statement, so that plain jobs pay nothing.
CREATE FUNCTION {schema}.lane_of(
    queue text, job_type text, tenant text, source text, concurrency_key text, max_cost bigint, has_rules boolean
) RETURNS uuid
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF source IS NULL AND concurrency_key IS NULL AND NOT (has_rules AND is_ruled(tenant, queue)) THEN
        RETURN NULL;
    END IF;
    RETURN encode(substr(sha256(convert_to(
        json_build_array(queue, job_type, tenant, source, concurrency_key, max_cost)::text, 'UTF8'
    )), 1, 16), 'hex')::uuid;
END
$$;

CREATE FUNCTION {schema}.has_rules() RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rules WHERE kind <> 'key');
END
$$;
