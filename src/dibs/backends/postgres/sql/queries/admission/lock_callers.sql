SELECT {schema}.lock_callers()
