DELETE FROM dibs_turns WHERE queue = ?1 AND tenant IN (
    SELECT tenant FROM dibs_turns INDEXED BY dibs_turns_places WHERE queue = ?1 AND place <= ?2 AND tenant <> '' LIMIT ?3
)
