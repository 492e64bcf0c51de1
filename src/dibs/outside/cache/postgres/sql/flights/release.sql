DELETE FROM {schema}.flights WHERE slot = $1 AND owner = $2
