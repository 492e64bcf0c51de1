"""Who may run now: gates, sources, limits and budgets, decided while a claim looks for jobs."""
