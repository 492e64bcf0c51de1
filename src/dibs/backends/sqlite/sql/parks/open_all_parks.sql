UPDATE dibs_parks SET is_open = 1, until = NULL WHERE is_open = 0
