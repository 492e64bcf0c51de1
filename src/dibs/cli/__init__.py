"""The command line: `dibs`, or `python -m dibs.cli`."""
