-- Only a claim that was on its way while the schema was upgraded comes here. It may be made again.
CREATE OR REPLACE FUNCTION {schema}.take_jobs(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE serialization_failure USING MESSAGE = 'the schema was upgraded meanwhile';
END
$$;
