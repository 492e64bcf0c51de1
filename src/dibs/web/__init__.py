"""What routes stand on: problems, paging, idempotency, limits, scopes, streams. No word about jobs in here."""
