SELECT tenant, place FROM dibs_turns WHERE queue = ?1
