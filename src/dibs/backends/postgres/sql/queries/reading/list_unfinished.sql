-- Written as JSON after the page is cut, and not every row that is sorted.
SELECT seq, to_json(page)::text AS job FROM (
    SELECT * FROM {schema}.jobs WHERE {conditions} ORDER BY seq DESC LIMIT {limit}
) AS page
