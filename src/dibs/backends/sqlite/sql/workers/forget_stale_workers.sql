DELETE FROM dibs_workers WHERE expires_at <= ?1
