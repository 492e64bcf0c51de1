"""The table that `make eval-resumes` prints."""

from rich.console import Console
from rich.table import Table

from evals.resumes.report.figures import list_cuts, list_fields, list_groups, tally
from evals.resumes.report.reliability import find_error, find_sure_share, make_bins
from evals.resumes.running import Result
from evals.resumes.scoring.tally import MACRO_FIELDS


def print_report(results: list[Result], *, width: int = 170) -> None:
    console = Console(width=width)
    for group, inside in list_groups(results):
        console.rule(f"{group}: {len(inside)} documents, macro F1 {tally(inside).macro_f1:.3f}")
        console.print(_fields_table(inside))
        for cut in ("layout", "format", "template", "language"):
            console.print(_cuts_table(inside, cut))
        given = [one for result in inside for one in result.verdict.given]
        share, amount = find_sure_share(given)
        off = find_error(make_bins(given))
        console.print(f"confidence >= 0.9: {share:.3f} right of {amount}; expected calibration error {off:.3f}")
        errors = [one for one in inside if one.error]
        for one in errors[:5]:
            console.print(f"[red]error[/red] {one.case.name}: {one.error[:200]}", markup=True)
        console.print(
            f"{len(errors)} documents failed; CPU {sum(one.seconds for one in inside) / len(inside):.3f} s a document"
        )


def _fields_table(results: list[Result]) -> Table:
    table = Table("field", "precision", "recall", "F1", "target", "true values")
    for row in list_fields(results):
        target = f"{row.target:.2f}" if row.target else ""
        table.add_row(row.field, f"{row.precision:.3f}", f"{row.recall:.3f}", f"{row.f1:.3f}", target, str(row.true))
    return table


def _cuts_table(results: list[Result], cut: str) -> Table:
    table = Table(cut, "docs", "macro F1", *(field[:8] for field in MACRO_FIELDS))
    for row in list_cuts(results, cut):
        table.add_row(
            row.name, str(row.documents), f"{row.macro_f1:.3f}", *(f"{row.f1[field]:.2f}" for field in MACRO_FIELDS)
        )
    return table
