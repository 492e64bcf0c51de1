"""Measure the parser on layouts of our own, on layouts kept aside, and on other people's.

python -m evals.resumes [--quick] [--people 10] [--sets development,aside,foreign] [--formats pdf,docx,html,scan]
                        [--templates a,b] [--processes 2] [--out build/resumes]
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import json

from evals.resumes.cases import Case, save_cases
from evals.resumes.foreign import build_foreign
from evals.resumes.library import build, make_orders
from evals.resumes.rendering.missing import say_missing
from evals.resumes.report.page import write_page
from evals.resumes.report.terminal import print_report
from evals.resumes.running import run_cases, spread
from evals.resumes.templates import find_templates

FORMATS = "pdf,docx,html,scan"
SETS = "development,aside,foreign"


def main() -> int:
    wanted = read_arguments()
    for line in say_missing():
        print(line, file=sys.stderr)
    started = time.monotonic()
    print(f"Making what is not in {wanted.out} yet; the first time that takes minutes.", file=sys.stderr)
    cases = gather(wanted)
    if not cases:
        # What an earlier run has found stays.
        print("No document fits: look at --templates, --sets and --formats.", file=sys.stderr)
        return 1
    print(f"Parsing {len(cases)} documents.", file=sys.stderr)
    built = time.monotonic()
    results = list(run_cases(spread(cases), processes=wanted.processes))
    parsed = time.monotonic()
    print_report(results)
    page = write_page(results, wanted.out)
    (wanted.out / "results.json").write_bytes(json.encode(results))
    print(f"{len(cases)} documents: {built - started:.0f} s to make, {parsed - built:.0f} s to parse; report in {page}")
    return 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.resumes")
    parser.add_argument(
        "--quick", action="store_true", help="two people a template, no scans: under a minute once built"
    )
    parser.add_argument("--people", type=at_least_one, default=10, help="people a template")
    parser.add_argument(
        "--scans", type=int, default=None, help="people a template that are scanned, too; all by default"
    )
    parser.add_argument("--sets", type=some_of(SETS), default=SETS)
    parser.add_argument("--formats", type=some_of(FORMATS), default=FORMATS)
    parser.add_argument("--templates", default="", help="only these, by name")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/resumes"))
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.people, wanted.scans = 2, 0
    wanted.scans = wanted.people if wanted.scans is None else wanted.scans
    return wanted


def some_of(known: str) -> Callable[[str], str]:
    """Read a list with commas of which every word is known."""

    def words(text: str) -> str:
        if unknown := sorted(set(text.split(",")) - set(known.split(","))):
            message = f"{', '.join(unknown)!r} is none of {known}"
            raise argparse.ArgumentTypeError(message)
        return text

    return words


def at_least_one(text: str) -> int:
    """Read a number that makes at least one document."""
    if not text.isdecimal() or not int(text):
        message = f"{text!r} is no number from 1 on"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def gather(wanted: argparse.Namespace) -> list[Case]:
    """The documents, made where they are not there yet."""
    sets, formats = set(wanted.sets.split(",")), set(wanted.formats.split(","))
    names = set(wanted.templates.split(",")) if wanted.templates else None
    templates = [one for one in find_templates(names) if ("aside" if one.aside else "development") in sets]
    folder = wanted.out / "set"
    cases = build(make_orders(templates, wanted.people, formats=formats, scans=wanted.scans), folder)
    if "foreign" in sets:
        cases += build_foreign(
            wanted.people, formats, folder=wanted.out / "foreign", names=names, scans=min(1, wanted.scans)
        )
    save_cases(cases, wanted.out)
    return cases


if __name__ == "__main__":
    sys.exit(main())
