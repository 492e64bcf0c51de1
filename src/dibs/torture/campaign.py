"""Many cells: every scenario on every store, once, or again and again until the time is up."""

import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from itertools import count

import msgspec

from dibs.torture.playing import Ground, Tempo, play
from dibs.torture.report.cells import Cell, CellVerdict
from dibs.torture.scenarios.scenario import Scenario

Tell = Callable[[Cell], None]


class CampaignPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is played where. Without `length` each cell is played once; with it, in any order until the time is up."""

    scenarios: Sequence[Scenario]
    grounds: Sequence[Ground]
    seed: int = 1
    length: timedelta | None = None
    tempo: Tempo = Tempo()


async def run_campaign(plan: CampaignPlan, tell: Tell, play: Callable[..., Awaitable[Cell]] = play) -> list[Cell]:
    """Play the cells one after another, and tell of each."""
    end = None if plan.length is None else time.monotonic() + plan.length.total_seconds()
    cells: list[Cell] = []
    known: set[tuple[str, str]] = set()
    for scenario, ground, seed in _make_order(plan):
        if end is not None and time.monotonic() >= end:
            break
        if (scenario.name, ground.name) in known:
            continue
        cell = await play(scenario, ground, seed, plan.tempo)
        if cell.verdict is CellVerdict.NOT_RUN:
            known.add((scenario.name, ground.name))
        cells.append(cell)
        tell(cell)
        if len(known) == len(plan.scenarios) * len(plan.grounds):
            break
    return cells


def _make_order(plan: CampaignPlan) -> Iterator[tuple[Scenario, Ground, int]]:
    pairs = [(scenario, ground) for scenario in plan.scenarios for ground in plan.grounds]
    if plan.length is None:
        yield from ((scenario, ground, plan.seed) for scenario, ground in pairs)
        return
    chance = random.Random(plan.seed)  # noqa: S311 - a seed must do the same again
    for seed in count(plan.seed):
        chance.shuffle(pairs)
        yield from ((scenario, ground, seed) for scenario, ground in pairs)
