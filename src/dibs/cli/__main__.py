"""`python -m dibs.cli` is `dibs`."""

from dibs.cli.main import main

if __name__ == "__main__":
    main()
