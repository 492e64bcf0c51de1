"""The report as a page: the same figures, diagrams of confidence, and examples of what went wrong."""

from html import escape
from pathlib import Path

from evals.resumes.report.figures import CUTS, list_cuts, list_fields, list_groups, tally
from evals.resumes.report.reliability import draw, find_error, find_sure_share, make_bins
from evals.resumes.running import Result
from evals.resumes.scoring.tally import MACRO_FIELDS

STYLE = """body{font:14px/1.4 sans-serif;margin:2em;max-width:1200px}table{border-collapse:collapse;margin:1em 0}
td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}
td:first-child,th:first-child{text-align:left}.low{background:#fbe3e0}"""
EXAMPLES_A_FIELD = 12


def write_page(results: list[Result], folder: Path) -> Path:
    parts = [_section(group, inside, folder) for group, inside in list_groups(results)]
    file = folder / "report.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><title>Resumes</title><style>{STYLE}</style>{''.join(parts)}",
        encoding="utf-8",
    )
    return file


def _section(group: str, results: list[Result], folder: Path) -> str:
    given = [one for result in results for one in result.verdict.given]
    bins = make_bins(given)
    share, amount = find_sure_share(given)
    diagram = draw(bins, f"confidence, {group}")
    (folder / f"reliability-{group}.svg").write_text(diagram, encoding="utf-8")
    off = find_error(bins)
    said = f"<p>Of {amount} fields given 0.9 or more, {share:.3f} are right. Expected calibration error {off:.3f}.</p>"
    cuts = "".join(_cuts_table(results, cut) for cut in CUTS)
    # Kept aside means that nobody tunes on it: its mistakes are not shown.
    examples = "" if group == "aside" else _examples(results)
    head = f"<h1>{group}: {len(results)} documents, macro F1 {tally(results).macro_f1:.3f}</h1>"
    return head + _fields_table(results) + said + diagram + _field_diagrams(results) + cuts + examples


def _field_diagrams(results: list[Result]) -> str:
    given = [one for result in results for one in result.verdict.given]
    drawn = (draw(make_bins(one for one in given if one.field == field), field) for field in MACRO_FIELDS)
    return f"<details><summary>Confidence by field</summary>{''.join(drawn)}</details>"


def _fields_table(results: list[Result]) -> str:
    rows = "".join(
        f"<tr{_mark(row.f1, row.target or 0.9)}><td>{row.field}<td>{row.precision:.3f}<td>{row.recall:.3f}"
        f"<td>{row.f1:.3f}<td>{row.target or ''}<td>{row.true}</tr>"
        for row in list_fields(results)
    )
    return f"<table><tr><th>field<th>precision<th>recall<th>F1<th>target<th>true values</tr>{rows}</table>"


def _mark(value: float, target: float) -> str:
    return ' class="low"' if value < target else ""


def _cuts_table(results: list[Result], cut: str) -> str:
    heads = "".join(f"<th>{field}" for field in MACRO_FIELDS)
    rows = ""
    for row in list_cuts(results, cut):
        cells = "".join(f"<td{_mark(row.f1[field], 0.85)}>{row.f1[field]:.2f}" for field in MACRO_FIELDS)
        rows += f"<tr><td>{row.name}<td>{row.documents}<td>{row.macro_f1:.3f}{cells}</tr>"
    return f"<table><tr><th>{cut}<th>documents<th>macro F1{heads}</tr>{rows}</table>"


def _examples(results: list[Result]) -> str:
    parts = []
    for field in MACRO_FIELDS:
        wrong = [
            f"<tr><td>{escape(result.case.name)}<td>{escape(one.value[:80])}<td>{escape(one.expected[:80])}<td>{one.confidence:.2f}</tr>"
            for result in results
            for one in result.verdict.given
            if one.field == field and not one.correct
        ]
        missed = [
            f"<tr><td>{escape(result.case.name)}<td>–<td>{escape(one.value[:80])}<td></tr>"
            for result in results
            for one in result.verdict.missed
            if one.field == field
        ]
        shown = "".join(wrong[:EXAMPLES_A_FIELD] + missed[:EXAMPLES_A_FIELD])
        head = "<tr><th>document<th>given<th>true<th>confidence</tr>"
        said = f"<summary>{field}: {len(wrong)} wrong, {len(missed)} missed</summary>"
        parts.append(f"<details>{said}<table>{head}{shown}</table></details>")
    return "<h2>Examples</h2>" + "".join(parts)
