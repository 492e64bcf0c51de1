SELECT {schema}.settle_copied($1::text[])
