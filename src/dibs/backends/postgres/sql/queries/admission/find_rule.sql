SELECT body::text FROM {schema}.rules WHERE kind = $1::text AND name = $2::text
