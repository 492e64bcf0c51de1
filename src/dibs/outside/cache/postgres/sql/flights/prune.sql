DELETE FROM {schema}.flights WHERE ends_at <= {schema}.now_micros()
