-- Stores jobs one after the other, each under the unique rule. `rival` is the job that held the key, if one did.
CREATE FUNCTION {schema}.store_unique_jobs(
    ids text[], job_types text[], tenants text[], queues text[], priorities integer[], inputs text[],
    retries integer[], run_ats timestamptz[], concurrency_keys text[], sources text[], parent_ids text[],
    delay_micros bigint, told_queues text[],
    unique_keys text[], hold text, window_micros bigint, on_conflict text, max_costs bigint[]
) RETURNS TABLE (stored_at timestamptz, duplicate text, rival text)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    rival_id text;
    due timestamptz;
    has_rules boolean := has_rules();
    its_lane uuid;
BEGIN
    PERFORM lock_keys(tenants, job_types, unique_keys);
    duplicate := find_known_id(ids);
    stored_at := clock();
    IF duplicate IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    BEGIN
        FOR place IN 1 .. cardinality(ids) LOOP
            due := coalesce(stored_at + micros(delay_micros), run_ats[place], stored_at);
            rival := NULL;
            its_lane := CASE WHEN due <= stored_at THEN lane_of(
                queues[place], job_types[place], tenants[place], sources[place], concurrency_keys[place],
                coalesce(max_costs[place], 0), has_rules
            ) END;
            LOOP
                rival_id := find_rival(tenants[place], job_types[place], unique_keys[place], hold, window_micros);
                EXIT WHEN rival_id IS NULL;
                IF on_conflict = 'replace' THEN
                    -- Waits for a claim in progress; then the rival may have moved on, so look again.
                    PERFORM FROM jobs WHERE id = rival_id FOR UPDATE;
                    CONTINUE WHEN rival_id IS DISTINCT FROM
                        find_rival(tenants[place], job_types[place], unique_keys[place], hold, window_micros);
                    PERFORM replace_rival(rival_id, inputs[place], due, priorities[place]);
                END IF;
                rival := describe_job(rival_id);
                EXIT WHEN rival IS NOT NULL;
            END LOOP;
            IF rival_id IS NULL THEN
                INSERT INTO jobs (
                    id, job_type, tenant, queue, priority, input, max_retries,
                    unique_key, concurrency_key, source, parent_id, max_cost_microcents, run_at, ready, lane, created_at
                ) VALUES (
                    ids[place], job_types[place], tenants[place], queues[place], priorities[place],
                    inputs[place]::json, retries[place], unique_keys[place], concurrency_keys[place],
                    sources[place], parent_ids[place], coalesce(max_costs[place], 0), due,
                    due <= stored_at AND its_lane IS NULL, its_lane, stored_at
                );
            END IF;
            RETURN NEXT;
        END LOOP;
        PERFORM announce_lanes(ids);
        -- After the inserts: a job that is just finishing has left the one table and is in the other by now.
        IF EXISTS (SELECT FROM finished_jobs WHERE id = ANY (ids)) THEN
            RAISE unique_violation;
        END IF;
    EXCEPTION WHEN unique_violation THEN
        duplicate := find_known_id(ids);
        IF duplicate IS NULL THEN
            RAISE serialization_failure;
        END IF;
        -- The last row counts: the rows returned before it were undone.
        RETURN NEXT;
        RETURN;
    END;
    IF told_queues IS NOT NULL THEN
        PERFORM tell(told_queues);
    END IF;
END
$$;
