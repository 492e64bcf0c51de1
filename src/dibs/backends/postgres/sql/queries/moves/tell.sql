SELECT {schema}.tell($1::text[])
