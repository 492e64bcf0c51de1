-- Version 4 was changed for a while after files had been made with it. This brings all of those to one layout: the lanes are
-- made anew out of the jobs that wait in them, by what these may cost, too.
DROP TABLE dibs_lanes;
CREATE TABLE dibs_lanes (
    lane INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    job_type TEXT NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    concurrency_key TEXT NOT NULL,
    max_cost_microcents INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    parked_on TEXT NOT NULL DEFAULT '',
    UNIQUE (queue, job_type, tenant, source, concurrency_key, max_cost_microcents)
);
CREATE INDEX dibs_lanes_order ON dibs_lanes (parked_on, queue, job_type, priority DESC, seq);
CREATE INDEX dibs_lanes_tenant ON dibs_lanes (parked_on, queue, job_type, tenant, priority DESC, seq);
INSERT INTO dibs_lanes (queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority, seq)
SELECT queue, job_type, tenant, coalesce(source, ''), coalesce(concurrency_key, ''), max_cost_microcents, priority, seq
FROM dibs_jobs WHERE ready = 2
ORDER BY priority DESC, seq
ON CONFLICT DO NOTHING;
UPDATE dibs_jobs SET lane = (
    SELECT lanes.lane FROM dibs_lanes AS lanes
    WHERE lanes.queue = dibs_jobs.queue AND lanes.job_type = dibs_jobs.job_type AND lanes.tenant = dibs_jobs.tenant
        AND lanes.source = coalesce(dibs_jobs.source, '')
        AND lanes.concurrency_key = coalesce(dibs_jobs.concurrency_key, '')
        AND lanes.max_cost_microcents = dibs_jobs.max_cost_microcents
)
WHERE ready = 2;
-- Whoever is held back still is found out by the next claim.
DELETE FROM dibs_parks;

DROP INDEX dibs_jobs_lane;
CREATE INDEX dibs_jobs_lane ON dibs_jobs (lane, priority DESC, seq) WHERE ready = 2;
DROP INDEX dibs_jobs_governed;
CREATE INDEX dibs_jobs_governed ON dibs_jobs (tenant, concurrency_key, max_cost_microcents)
    WHERE lane IS NOT NULL AND state = 'running';
DROP INDEX dibs_jobs_permits;
CREATE INDEX dibs_jobs_permits ON dibs_jobs (source, permit, lease_token) WHERE permit IS NOT NULL AND state = 'running';
