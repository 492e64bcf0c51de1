SELECT min(sequence) AS lowest, max(sequence) AS highest FROM {schema}.audit
