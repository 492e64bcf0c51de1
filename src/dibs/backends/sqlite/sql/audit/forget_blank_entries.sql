DELETE FROM dibs_audit WHERE subject = '' AND sequence < ?1
