"""Who may run now: the rules, what lanes of governed jobs wait for, and how sources stand."""
