"""What goes out: answers of each kind, and what each of them carries."""
