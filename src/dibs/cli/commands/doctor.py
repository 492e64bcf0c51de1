"""`dibs doctor`: what is wrong with the store, and what to do about it."""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from msgspec.structs import replace

from dibs.assembly import connect_backend
from dibs.cli.checks import Checkup
from dibs.cli.exits import Exit
from dibs.cli.extras import describe_left_out
from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_findings
from dibs.cli.stores import MIGRATE, name_again, refuse_private, show_url
from dibs.engine.store.checkup import Finding, Severity, ok

MARKS = {Severity.OK: ("✓", "green"), Severity.WARNING: ("!", "yellow"), Severity.PROBLEM: ("✗", "red")}


def examine(url: Url = None, *, as_json: AsJson = False) -> int:
    """Look the store over, and say what to do.

    Schema, clock, notices, durability, stuck jobs, what only this backend can have, and the sandbox of documents.
    """
    findings = asyncio.run(_examine(url))
    if as_json:
        output.show_json(shape_findings(findings))
    else:
        output.show(render(findings), _summary(findings, url))
    return Exit.NOT_DONE if any(one.severity is Severity.PROBLEM for one in findings) else Exit.DONE


async def _examine(url: str | None) -> list[Finding]:
    async with await connect_backend(url) as backend, await connect_backend(url) as second:
        refuse_private(backend)
        findings = [_name_store(one, url) for one in await Checkup(backend, second).examine()]
    # Documents are read without a store, too.
    return [*findings, *await _examine_documents(), *_examine_parts()]


def _name_store(finding: Finding, url: str | None) -> Finding:
    """Advise to migrate the very store that was looked at."""
    return replace(finding, advice=finding.advice.replace(MIGRATE, f"{MIGRATE}{name_again(url)}"))


async def _examine_documents() -> list[Finding]:
    """Look at what keeps hostile documents in, where reading them is installed."""
    if any(find_spec(name) is None for name in ("pypdfium2", "lxml", "selectolax", "PIL")):
        return []
    from dibs.services.resumes.sandbox.checkup import examine_sandbox

    return await asyncio.to_thread(examine_sandbox)


def _examine_parts() -> list[Finding]:
    """Name what this installation leaves out for want of a package."""
    lacking = describe_left_out("tasks")
    return (
        [ok("parts", f"left out here: {lacking}. With pip install 'dibs[all]' everything is there")] if lacking else []
    )


def render(findings: Sequence[Finding]) -> Any:
    """Make one line a finding, with the advice below it."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for one in findings:
        mark, style = MARKS[one.severity]
        message = output.styled(one.message)
        if one.advice:
            message.append_text(output.styled(f"\n→ {one.advice}", style))
        grid.add_row(output.styled(mark, style), one.topic, message)
    return grid


def _summary(findings: Sequence[Finding], url: str | None) -> Any:
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    problems = output.plural(counts[Severity.PROBLEM], "problem")
    warnings = output.plural(counts[Severity.WARNING], "warning")
    return output.styled(f"\n{problems}, {warnings} · {show_url(url)}", "dim")
