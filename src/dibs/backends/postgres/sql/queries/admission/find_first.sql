SELECT {schema}.find_first($1) AS first
