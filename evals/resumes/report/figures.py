"""The rows that both the terminal and the page show."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from evals.resumes.running import Result
from evals.resumes.scoring.tally import MACRO_FIELDS, OTHER_FIELDS, TARGETS, Tally

GROUPS = ("development", "aside", "foreign", "foreign_aside")
CUTS: dict[str, Callable[[Result], str]] = {
    "layout": lambda one: one.case.layout,
    "format": lambda one: one.case.format,
    "template": lambda one: one.case.template,
    "language": lambda one: one.case.language,
}


class FieldRow(Struct, frozen=True):
    field: str
    precision: float
    recall: float
    f1: float
    true: int
    target: float | None


class CutRow(Struct, frozen=True):
    name: str
    documents: int
    macro_f1: float
    f1: dict[str, float]


def list_groups(results: list[Result]) -> list[tuple[str, list[Result]]]:
    named = [(group, [one for one in results if one.case.group == group]) for group in GROUPS]
    return [(group, inside) for group, inside in named if inside]


def tally(results: Iterable[Result]) -> Tally:
    return Tally(one.verdict for one in results)


def list_fields(results: list[Result]) -> list[FieldRow]:
    counts = tally(results)
    rows = []
    for field in (*MACRO_FIELDS, *OTHER_FIELDS):
        count = counts.of(field)
        rows.append(FieldRow(field, count.precision, count.recall, count.f1, count.true, TARGETS.get(field)))
    return rows


def list_cuts(results: list[Result], cut: str) -> list[CutRow]:
    name_of = CUTS[cut]
    rows = []
    for name in sorted({name_of(one) for one in results}):
        counts = tally(one for one in results if name_of(one) == name)
        f1 = {field: counts.of(field).f1 for field in MACRO_FIELDS}
        rows.append(CutRow(name, counts.documents, counts.macro_f1, f1))
    return rows
