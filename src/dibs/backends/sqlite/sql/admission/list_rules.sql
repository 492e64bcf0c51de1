SELECT rule, set_at FROM dibs_rules ORDER BY kind, name
