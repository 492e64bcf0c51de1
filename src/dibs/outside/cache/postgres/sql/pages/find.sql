SELECT url, status, headers, body, content, stored_at, fresh_until, {schema}.now_micros() AS now
FROM {schema}.pages JOIN {schema}.bodies ON digest = body
WHERE slot = $1 AND kept_until > {schema}.now_micros()
