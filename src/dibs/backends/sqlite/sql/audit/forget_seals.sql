DELETE FROM dibs_seals WHERE tenant = ?1 AND position < ?2
