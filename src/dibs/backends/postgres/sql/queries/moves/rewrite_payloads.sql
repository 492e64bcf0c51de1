-- Puts the same payload in another form where it still stands, whatever the state of its job.
WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
        WITH ORDINALITY AS one (id, field, before, after, place)
    -- By id, as everybody locks rows, so that two batches never wait for each other.
    ORDER BY id COLLATE "C"
), waiting AS (
    UPDATE {schema}.jobs AS job SET
        input = CASE field WHEN 'input' THEN after::json ELSE job.input END,
        progress = CASE field WHEN 'progress' THEN after::json ELSE job.progress END,
        error = CASE field WHEN 'error' THEN after::json ELSE job.error END
    FROM asked
    WHERE job.id = asked.id AND before = CASE field
        WHEN 'input' THEN job.input WHEN 'progress' THEN job.progress WHEN 'error' THEN job.error END::text
    RETURNING place
), finished AS (
    UPDATE {schema}.finished_jobs AS job SET
        input = CASE field WHEN 'input' THEN after::json ELSE job.input END,
        output = CASE field WHEN 'output' THEN after::json ELSE job.output END,
        progress = CASE field WHEN 'progress' THEN after::json ELSE job.progress END,
        error = CASE field WHEN 'error' THEN after::json ELSE job.error END
    FROM asked
    WHERE job.id = asked.id AND before = CASE field
        WHEN 'input' THEN job.input WHEN 'output' THEN job.output
        WHEN 'progress' THEN job.progress WHEN 'error' THEN job.error END::text
    RETURNING place
), tried AS (
    UPDATE {schema}.attempts AS attempt SET error = after::json
    FROM asked
    WHERE attempt.job_id = asked.id AND field = 'error' AND attempt.error::text = before
    RETURNING place
)
SELECT place::integer FROM waiting UNION SELECT place::integer FROM finished UNION SELECT place::integer FROM tried
