"""What went wrong where people may look: the mistakes of one run in lines, worst fields and templates first.

python -m evals.resumes.report.mistakes [--out build/resumes] [--each 6] [--fields organisation,title] [--formats pdf]
"""

import argparse
from collections import Counter
from pathlib import Path

from msgspec import json

from evals.resumes.running import Result
from evals.resumes.scoring.tally import MACRO_FIELDS

KEPT_ASIDE = {"aside", "foreign_aside"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.resumes.report.mistakes")
    parser.add_argument("--out", type=Path, default=Path("build/resumes"))
    parser.add_argument("--each", type=int, default=6, help="lines a field and template")
    parser.add_argument("--fields", default=",".join(MACRO_FIELDS))
    parser.add_argument("--formats", default="pdf,docx,html,scan")
    wanted = parser.parse_args()
    file: Path = wanted.out / "results.json"
    if not file.exists():
        parser.exit(1, f"There is no run in {wanted.out} yet. Make one: make eval-resumes ARGS=--quick\n")
    results = json.decode(file.read_bytes(), type=list[Result])
    formats = wanted.formats.split(",")
    open_ones = [one for one in results if one.case.group not in KEPT_ASIDE and one.case.format in formats]
    for field in wanted.fields.split(","):
        for line in list_mistakes(open_ones, field, each=wanted.each):
            print(line)


def list_mistakes(results: list[Result], field: str, *, each: int) -> list[str]:
    by_template: Counter[str] = Counter()
    lines: dict[str, list[str]] = {}
    for result in results:
        for line in _list_lines(result, field):
            by_template[result.case.template] += 1
            lines.setdefault(result.case.template, []).append(line)
    listed = [f"## {field}: {sum(by_template.values())} mistakes"]
    for template, amount in by_template.most_common():
        listed += [f"- {template} ({amount}):", *(f"    {line}" for line in lines[template][:each])]
    return listed


def _list_lines(result: Result, field: str) -> list[str]:
    wrong = [one for one in result.verdict.given if one.field == field and not one.correct]
    expected = {one.expected for one in wrong}
    missed = [one.value for one in result.verdict.missed if one.field == field and one.value not in expected]
    told = [
        f"{result.case.name}: gave {one.value[:70]!r} ({one.confidence:.2f}), true {one.expected[:70]!r}"
        for one in wrong
    ]
    return told + [f"{result.case.name}: missed {value[:70]!r}" for value in missed]


if __name__ == "__main__":
    main()
