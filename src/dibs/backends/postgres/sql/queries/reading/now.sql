SELECT {schema}.clock() AS now
