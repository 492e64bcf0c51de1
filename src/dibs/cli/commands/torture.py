"""`dibs torture`: break things on purpose around a store of yours, and check that every promise held."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from dibs.cli.exits import Exit
from dibs.cli.options import Url
from dibs.cli.printing import output
from dibs.cli.stores import show_url
from dibs.errors import BadInput
from dibs.kit.links import split_url
from dibs.settings import Settings

Names = Annotated[
    list[str] | None,
    typer.Option("--scenario", metavar="NAME", help="Play only this scenario; may be repeated.", show_default="all"),
]
Minutes = Annotated[
    float | None,
    typer.Option("--minutes", metavar="N", min=0.1, help="Play at random for so long.", show_default="each once"),
]
Hours = Annotated[float | None, typer.Option("--hours", metavar="N", min=0.01, help="The same in hours.")]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Write a page with pictures, and the data beside it as JSON."),
]
Pace = Annotated[float, typer.Option("--pace", metavar="N", min=1, help="How many jobs come a second.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Chance that can be had again.")]
Soak = Annotated[
    bool, typer.Option("--soak", help="Break nothing: an even load for an hour, or as long as told, and nothing grows.")
]
ShowList = Annotated[bool, typer.Option("--list", help="List the scenarios and what they need.")]

ONE_HOUR = timedelta(hours=1)


def torture(
    url: Url = None,
    *,
    names: Names = None,
    minutes: Minutes = None,
    hours: Hours = None,
    pace: Pace = 30.0,
    seed: Seed = 1,
    report: Report = None,
    is_soak: Soak = False,
    is_list_wanted: ShowList = False,
) -> int:
    """Break things around a store on purpose, and check that every promise held.

    Works in a file, schema or namespace of its own in the store, and removes it afterwards; your jobs are not touched.
    """
    # Here and not above: all of it is needed by this command alone.
    from dibs.torture.campaign import CampaignPlan
    from dibs.torture.playing import Ground, Tempo, find_obstacle
    from dibs.torture.scenarios.catalogue import find_scenarios
    from dibs.torture.soak import make_soak

    if minutes is not None and hours is not None:
        raise BadInput("--minutes and --hours: say one of them.")
    if is_soak and names:
        raise BadInput("--soak breaks nothing, and --scenario says what to break: say one of them.")
    address = url or Settings.from_env().url
    ground = Ground(name=split_url(address).scheme, url=address)
    length = timedelta(minutes=minutes or 0) + timedelta(hours=hours or 0)
    scenarios = [make_soak(length or ONE_HOUR)] if is_soak else find_scenarios(names)
    if is_list_wanted:
        for one in scenarios:
            output.show_line(f"{one.name}: {one.title}{_show_obstacle(find_obstacle(one, ground))}")
        return Exit.DONE
    span = None if is_soak or not length else length
    plan = CampaignPlan(scenarios=scenarios, grounds=[ground], seed=seed, length=span, tempo=Tempo(pace=pace))
    if report is not None:
        _check_place(report)
    output.hint(f"Torturing {show_url(url)} in a place of its own. Ctrl-C stops.")
    return _run(plan, report)


def _check_place(report: Path) -> None:
    """Refuse a report that could not be written before hours are spent on it."""
    if report.is_dir() or not os.access(report if report.exists() else report.parent, os.W_OK):
        raise BadInput(f"the report cannot be written to {report}. Name a file in a folder that you may write to.")


def _show_obstacle(obstacle: str) -> str:
    return f" (not on this store: {obstacle})" if obstacle else ""


def _run(plan: Any, report: Path | None) -> int:
    from dibs.torture.campaign import run_campaign
    from dibs.torture.report.page import summarise
    from dibs.torture.report.writing import Reporter, write_report

    reporter, cells = Reporter(), []

    def tell(cell: Any) -> None:
        cells.append(cell)
        show_cell(cell)

    try:
        asyncio.run(_play_until_told(run_campaign(plan, tell)))
    except asyncio.CancelledError:
        raise typer.Exit(Exit.TERMINATED) from None
    finally:
        # Also when it is stopped in the middle: what was played is worth telling.
        run = reporter.sum_up(cells)
        output.show_line(summarise(run))
        for path in write_report(run, report) if report is not None else []:
            output.hint(f"Written: {path}")
    return Exit.DONE if run.holds else Exit.NOT_DONE


async def _play_until_told(campaign: Coroutine[Any, Any, Any]) -> None:
    """Let SIGTERM end it as Ctrl-C does: nobody else ends the workers that break things, or clears up behind them."""
    playing = asyncio.ensure_future(campaign)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
    await playing


def show_cell(cell: Any) -> None:
    """Tell of one cell in a line."""
    rates = cell.rates
    told = "" if rates is None else f", {rates.before:g} jobs/s before, {rates.during:g} during, {rates.after:g} after"
    reason = f": {cell.reason}" if cell.reason else ""
    output.show_line(f"{cell.verdict}  {cell.scenario} on {cell.store}{told}{reason}")
