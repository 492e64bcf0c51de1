DELETE FROM {schema}.tallies WHERE day < {schema}.now_micros() / 86400000000
