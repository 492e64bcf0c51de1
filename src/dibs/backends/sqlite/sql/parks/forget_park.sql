DELETE FROM dibs_parks WHERE name = ?1
