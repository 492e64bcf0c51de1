"""Every cell on servers of our own: `python -m tests.torture.run`, which is `make torture`."""

import argparse
import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from dibs.cli.commands.torture import show_cell
from dibs.torture.campaign import CampaignPlan, run_campaign
from dibs.torture.playing import Ground, Tempo
from dibs.torture.report.cells import Cell
from dibs.torture.report.page import summarise
from dibs.torture.report.writing import Reporter, write_report
from dibs.torture.scenarios.catalogue import SCENARIOS, find_scenarios
from dibs.torture.scenarios.scenario import Need
from dibs.torture.soak import make_soak
from tests.torture.hands import SMALL_DISK, open_grounds

FORGETFUL = "forgetful"
STORES = ("sqlite", "postgres", "redis", FORGETFUL, SMALL_DISK)
ONE_HOUR = 60.0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="append", choices=STORES, help="only this store; may be repeated")
    parser.add_argument("--scenario", action="append", choices=list(SCENARIOS), help="only this; may be repeated")
    parser.add_argument("--minutes", type=float, help="play at random for so long, instead of each cell once")
    parser.add_argument("--hours", type=float, help="the same in hours")
    parser.add_argument("--soak", action="store_true", help="an even load on each store, an hour unless told otherwise")
    parser.add_argument("--pace", type=float, default=30.0, help="how many jobs come a second")
    parser.add_argument("--seed", type=int, default=1, help="chance that can be had again")
    parser.add_argument("--report", type=Path, default=Path("torture.html"), help="where the report goes")
    return parser.parse_args()


def make_plans(given: argparse.Namespace, grounds: list[Ground]) -> list[CampaignPlan]:
    minutes = given.hours * 60 if given.hours else given.minutes
    length = timedelta(minutes=minutes) if minutes else None
    lasting = [ground for ground in grounds if ground.name not in (FORGETFUL, SMALL_DISK)]
    common = {"seed": given.seed, "tempo": Tempo(pace=given.pace)}
    if given.soak:
        soak = make_soak(length or timedelta(minutes=ONE_HOUR))
        return [CampaignPlan(scenarios=[soak], grounds=lasting, **common)]
    scenarios = find_scenarios(given.scenario)
    # A store that keeps nothing is there for what happens when it is restarted; the rest is as on the other one.
    restarts = [scenario for scenario in scenarios if Need.REDIS_SERVER in scenario.needs]
    filling = [scenario for scenario in scenarios if Need.SMALL_DISK in scenario.needs]
    empty = [ground for ground in grounds if ground.name == FORGETFUL]
    small = [ground for ground in grounds if ground.name == SMALL_DISK]
    return [
        CampaignPlan(scenarios=scenarios, grounds=lasting, length=length, **common),
        CampaignPlan(scenarios=restarts, grounds=empty, **common),
        CampaignPlan(scenarios=filling, grounds=small, **common),
    ]


async def run_all(plans: list[CampaignPlan], cells: list[Cell]) -> None:
    def tell(cell: Cell) -> None:
        cells.append(cell)
        show_cell(cell)

    for plan in plans:
        await run_campaign(plan, tell)


def main() -> int:
    given = read_arguments()
    reporter, cells = Reporter(), list[Cell]()
    try:
        with open_grounds(*(given.store or STORES)) as grounds:
            asyncio.run(run_all(make_plans(given, grounds), cells))
    finally:
        # Also when it is stopped in the middle: what was played is worth telling.
        run = reporter.sum_up(cells)
        sys.stdout.write(f"{summarise(run)}\nWritten: {', '.join(map(str, write_report(run, given.report)))}\n")
    return 0 if run.holds else 1


if __name__ == "__main__":
    sys.exit(main())
