-- Forgets finished jobs by their ids, with their attempts, and says so in the log.
WITH gone AS (
    DELETE FROM {schema}.finished_jobs WHERE id = ANY ($1::text[]) RETURNING id, tenant, lease_token
), lost AS (
    DELETE FROM {schema}.attempts WHERE job_id = ANY (SELECT id FROM gone)
), told AS (
    INSERT INTO {schema}.audit (at, token, tenant, actor, action, subject, reason)
    SELECT {schema}.clock(), lease_token, tenant, $2::text, 'JOB_ERASED', 'job:' || id, $3::text FROM gone
)
SELECT id FROM gone
