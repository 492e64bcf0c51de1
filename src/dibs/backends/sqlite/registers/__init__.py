"""What the file keeps beside jobs: named leases, worker cards, schedules, the audit log."""
