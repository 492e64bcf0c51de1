DELETE FROM dibs_turns WHERE queue = ?1 AND tenant <> '' AND place <= ?2
