SELECT position FROM dibs_seals WHERE tenant = ?1 ORDER BY position DESC LIMIT 1
