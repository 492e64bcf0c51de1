"""The report as a page that needs nothing else."""

from collections.abc import Sequence
from html import escape
from string import Template

import msgspec

from dibs.torture.checker.notes import Invariant
from dibs.torture.report.cells import Cell, CellVerdict, Minute, Run
from dibs.torture.report.drawing import draw_timeline

MARKS = {
    CellVerdict.HOLDS: "✓",
    CellVerdict.BROKEN: "✗",
    CellVerdict.SLOW: "!",
    CellVerdict.NOT_RUN: "·",
    CellVerdict.FAULT: "?",
}
PAGE = Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dibs under faults</title>
<style>
:root { color-scheme: light dark; --ink: #1c2733; --paper: #fff; --faint: #66737f; --line: #d5dbe1;
  --good: #1a7f4b; --bad: #b3261e; --warn: #946200; --fault: #f6d5cf; --bar: #7aa7d9; --stored: #1c2733; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --paper: #14191f; --faint: #95a1ad; --line: #323b45;
  --good: #5cc98d; --bad: #ff8a80; --warn: #e3b341; --fault: #4d2623; --bar: #4a78ab; --stored: #e4e9ee; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.holds { color: var(--good); } .broken, .fault-of-the-harness { color: var(--bad); } .slow { color: var(--warn); }
.not-run, .faint { color: var(--faint); }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
svg { width: 100%; height: auto; } svg text { font-size: 9px; fill: var(--faint); }
.fault { fill: var(--fault); } .finished { fill: var(--bar); } .floor { stroke: var(--line); }
.stored { fill: none; stroke: var(--stored); stroke-width: 1; }
a { color: inherit; } ul { padding-left: 1.2rem; }
</style>
<h1>Dibs under faults</h1>
<p class="$tone"><strong>$summary</strong></p>
<p class="faint">Dibs $version · $began_at · $machine · $seconds s</p>
<h2>Cells</h2>
$matrix
<h2>What was checked</h2>
$invariants
$sections
</html>
""")


def render_page(run: Run) -> str:
    """Make the page."""
    return PAGE.substitute(
        tone="holds" if run.holds else "broken",
        summary=escape(summarise(run)),
        version=escape(run.version),
        began_at=escape(run.began_at),
        machine=escape(run.machine),
        seconds=round(run.seconds),
        matrix=_render_matrix(run.cells),
        invariants=_render_invariants(run.cells),
        sections="".join(
            _render_cell(number, cell)
            for number, cell in enumerate(run.cells)
            if cell.verdict is not CellVerdict.NOT_RUN
        ),
    )


def summarise(run: Run) -> str:
    """Say in one sentence what came out."""
    counts = {verdict: sum(cell.verdict is verdict for cell in run.cells) for verdict in CellVerdict}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    cells = "1 cell" if len(run.cells) == 1 else f"{len(run.cells)} cells"
    return f"{cells}: {told or 'nothing was played'}."


def _class(cell: Cell) -> str:
    return cell.verdict.replace(" ", "-")


def _render_matrix(cells: Sequence[Cell]) -> str:
    stores = list(dict.fromkeys(cell.store for cell in cells))
    found: dict[tuple[str, str], str] = {}
    for number, cell in enumerate(cells):
        link = f'<a href="#cell-{number}">{MARKS[cell.verdict]} {cell.verdict}</a>'
        shown = MARKS[cell.verdict] if cell.verdict is CellVerdict.NOT_RUN else link
        mark = f'<span class="{_class(cell)}" title="{escape(cell.reason)}">{shown}</span>'
        found[cell.scenario, cell.store] = f"{found.get((cell.scenario, cell.store), '')} {mark}"
    head = "".join(f"<th>{escape(store)}</th>" for store in stores)
    titles = {cell.scenario: cell.title for cell in cells}
    rows = "".join(_render_row(titles[name], [found.get((name, store), "") for store in stores]) for name in titles)
    return f"<table><tr><th>scenario</th>{head}</tr>{rows}</table>"


def _render_row(title: str, marks: Sequence[str]) -> str:
    cells = "".join(f"<td>{mark}</td>" for mark in marks)
    return f"<tr><td>{escape(title)}</td>{cells}</tr>"


def _render_invariants(cells: Sequence[Cell]) -> str:
    tallies = [cell.tally for cell in cells if cell.tally is not None]
    rows = "".join(
        f'<tr><td>{escape(one)}</td><td class="n">{sum(tally.checked.get(one, 0) for tally in tallies):,}</td>'
        f'<td class="n">{sum(tally.failed.get(one, 0) for tally in tallies):,}</td></tr>'
        for one in Invariant
    )
    return f"<table><tr><th>invariant</th><th>looked at</th><th>broken</th></tr>{rows}</table>"


def _render_cell(number: int, cell: Cell) -> str:
    rates = "" if cell.rates is None else _describe_rates(cell)
    broken = [] if cell.tally is None else cell.tally.broken
    items = [f"<b>{escape(one.invariant)}</b>: {escape(one.subject)} {escape(one.message)}" for one in broken]
    items += [escape(note) for note in cell.notes]
    listed = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""
    return (
        f'<section id="cell-{number}"><h3>{escape(cell.title)}, {escape(cell.store)}:'
        f' <span class="{_class(cell)}">{cell.verdict}</span></h3>'
        f"<p>{escape(cell.reason)} {rates}</p>{draw_timeline(cell)}{_render_minutes(cell.minutes)}{listed}</section>"
    )


def _render_minutes(minutes: Sequence[Minute]) -> str:
    if not minutes:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in Minute.__struct_fields__)
    rows = "".join(f"<tr>{_render_figures(row)}</tr>" for row in minutes)
    return f"<details><summary>Minute by minute</summary><table><tr>{head}</tr>{rows}</table></details>"


def _render_figures(row: Minute) -> str:
    return "".join(f'<td class="n">{figure:g}</td>' for figure in msgspec.structs.astuple(row))


def _describe_rates(cell: Cell) -> str:
    rates = cell.rates
    if rates is None:
        return ""
    back = "never back" if rates.back_after is None else f"back {rates.back_after:g} s after the fault"
    return (
        f"Jobs finished a second: {rates.before:g} before, {rates.during:g} during, {rates.after:g} after; {back}."
        f" {cell.jobs:,} jobs, {cell.operations:,} operations, {cell.unknown:,} of them of unknown outcome;"
        f" seed {cell.seed}."
    )
