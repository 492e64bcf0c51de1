SELECT place FROM dibs_turns WHERE queue = ?1 AND tenant = ?2
