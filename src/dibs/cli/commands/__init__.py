"""The commands, one family a file. Their docstrings are what `--help` shows."""
