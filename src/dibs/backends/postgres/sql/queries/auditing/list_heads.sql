SELECT DISTINCT ON (tenant) tenant, position, sequence, hash FROM {schema}.seals ORDER BY tenant, position DESC
