SELECT rule FROM dibs_rules WHERE kind = ?1 AND name = ?2
