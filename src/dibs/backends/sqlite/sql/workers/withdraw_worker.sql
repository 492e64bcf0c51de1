DELETE FROM dibs_workers WHERE worker_id = ?1
