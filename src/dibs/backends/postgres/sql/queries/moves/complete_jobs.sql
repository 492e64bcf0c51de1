-- Ids and tokens come as lines of text: the driver asks of each value of an array whether it is an array itself.
SELECT place FROM {schema}.complete_jobs(
    string_to_array($1::text, E'\n'), string_to_array($2::text, E'\n')::bigint[], $3::text[], $4::bigint[]
) AS place
