UPDATE dibs_jobs SET
    input = CASE ?2 WHEN 'input' THEN ?4 ELSE input END,
    output = CASE ?2 WHEN 'output' THEN ?4 ELSE output END,
    progress = CASE ?2 WHEN 'progress' THEN ?4 ELSE progress END,
    error = CASE ?2 WHEN 'error' THEN ?4 ELSE error END
WHERE id = ?1
    AND CASE ?2 WHEN 'input' THEN input WHEN 'output' THEN output WHEN 'progress' THEN progress ELSE error END = ?3
