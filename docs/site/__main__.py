"""`make docs`: build the site, and see that nothing on it leads nowhere."""

import argparse
import sys
from pathlib import Path

from docs.site.building import build
from docs.site.checking import find_faults
from docs.site.reading import BadPage


def main() -> int:
    """Build, check, and say where it is."""
    parser = argparse.ArgumentParser(prog="make docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/docs"), help="the folder that is written anew")
    target: Path = parser.parse_args().out
    try:
        count = build(target)
    except BadPage as error:
        print(error, file=sys.stderr)
        return 1
    faults = find_faults(target)
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    print(f"{count} pages. Open {(target / 'index.html').resolve().as_uri()}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
