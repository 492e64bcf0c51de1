SELECT sources.source, jobs.id, jobs.lease_token FROM dibs_sources AS sources
LEFT JOIN dibs_jobs AS jobs
    ON jobs.id = sources.probe_job AND jobs.lease_token = sources.probe_token AND jobs.state = 'running'
WHERE sources.name = ?1
