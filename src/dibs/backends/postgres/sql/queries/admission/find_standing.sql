SELECT {schema}.describe_standing($1::text)::text AS standing
