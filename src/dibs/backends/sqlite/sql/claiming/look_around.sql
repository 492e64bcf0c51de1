SELECT
    EXISTS (SELECT 1 FROM dibs_jobs INDEXED BY dibs_jobs_later WHERE ready = 0 AND run_at < ?1),
    EXISTS (SELECT 1 FROM dibs_lanes WHERE lane > 0)
