-- Serialises everybody who decides about these unique keys, until the transaction ends.
CREATE FUNCTION {schema}.lock_keys(tenants text[], job_types text[], unique_keys text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE feature_not_supported USING MESSAGE = format(
            'jobs with unique keys cannot be stored in a %s transaction, which does not see what others commit '
            'meanwhile. Use READ COMMITTED, or store them outside of the transaction.',
            upper(current_setting('transaction_isolation'))
        );
    END IF;
    -- Many keys share a lock, for the server's table of locks is small. In one order for all, so that two batches
    -- never wait for each other.
    PERFORM pg_advisory_xact_lock(hashtext('keys:' || current_schema()), locked.bucket)
    FROM (
        SELECT DISTINCT hashtext(json_build_array(asked.tenant, asked.job_type, asked.unique_key)::text) & 255 AS bucket
        FROM unnest(tenants, job_types, unique_keys) AS asked (tenant, job_type, unique_key)
        WHERE asked.unique_key IS NOT NULL
        ORDER BY bucket
        OFFSET 0
    ) AS locked;
END
$$;
