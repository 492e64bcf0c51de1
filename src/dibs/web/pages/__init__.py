"""What pages stand on: the shell, its components, the files it loads. No word about jobs in here."""
