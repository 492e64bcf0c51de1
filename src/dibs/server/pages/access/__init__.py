"""Who may do what: keys, users, and the pages before anybody is known."""
