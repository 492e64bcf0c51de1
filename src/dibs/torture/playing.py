"""Playing one scenario on one store, from an empty place to a verdict."""

import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from dibs.assembly import open_backend
from dibs.errors import DibsError
from dibs.torture.checker.judging import judge_history
from dibs.torture.checker.notes import Broken, Invariant, Tally, merge_tallies
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.faults.disk import is_on_small_disk
from dibs.torture.faults.handles import ServerHandle
from dibs.torture.faults.namespace import may_make_namespaces
from dibs.torture.history.reading import History, read_history
from dibs.torture.history.records import Move
from dibs.torture.report.cells import Beat, Cell, CellVerdict, Fault, Rates
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.accounts import collect_accounts
from dibs.torture.stage.places import Place, make_place
from dibs.torture.stage.stage import Snapshot, Stage

BACK = 0.9
BACK_SECONDS = 30.0
START_SECONDS = 180.0
DRAIN_SECONDS = 180.0


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """A store to play on, and the hands on its server if there are any."""

    name: str
    url: str
    server: ServerHandle | None = None


class Tempo(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs come a second, and how long it stays calm before and after a fault."""

    pace: float = 30.0
    calm: float = 5.0
    after: float = 5.0


def find_obstacle(scenario: Scenario, ground: Ground) -> str:
    """Say what a scenario needs that is not there; nothing if it can be played."""
    place = make_place(ground.url, "x")
    has_hands = ground.server is not None
    there = {
        Need.WIRE: place.address is not None,
        Need.FILE: place.file is not None,
        Need.SMALL_DISK: place.file is not None and is_on_small_disk(place.file),
        Need.LINUX: sys.platform == "linux",
        Need.NAMESPACES: may_make_namespaces(),
        Need.POSTGRES_SERVER: has_hands and place.kind == "postgresql",
        Need.REDIS_SERVER: has_hands and place.kind == "redis",
    }
    return "; ".join(f"needs {need}" for need in scenario.needs if not there[need])


async def play(scenario: Scenario, ground: Ground, seed: int, tempo: Tempo) -> Cell:
    """Play one scenario; whatever happens, a cell comes of it, and nothing is left behind."""
    facts: dict[str, Any] = {"scenario": scenario.name, "title": scenario.title, "store": ground.name, "seed": seed}
    if obstacle := find_obstacle(scenario, ground):
        return Cell(verdict=CellVerdict.NOT_RUN, reason=obstacle, **facts)
    chance = random.Random(f"{scenario.name}/{seed}")  # noqa: S311 - a seed must do the same again
    place = make_place(ground.url, f"{random.SystemRandom().randrange(1 << 32):08x}")
    folder = Path(tempfile.mkdtemp(prefix="dibs-torture-"))
    began = time.monotonic()
    try:
        async with asyncio.timeout(scenario.longest.total_seconds()):
            found = await _play(scenario, Stage(place, folder, chance, ground.server), tempo)
    except (DibsError, OSError, RuntimeError, TimeoutError) as error:
        found = {"verdict": CellVerdict.FAULT, "reason": f"{type(error).__name__}: {error}"}
    finally:
        await _clean_up(place, folder)
    return Cell(seconds=round(time.monotonic() - began, 1), **facts, **found)


async def _clean_up(place: Place, folder: Path) -> None:
    try:
        async with asyncio.timeout(20), await open_backend(place.url, migrate=False) as backend:
            await place.remove(backend)
    except (DibsError, OSError, TimeoutError):
        # The store is away, or was never there; a schema of this name harms nobody.
        pass
    finally:
        place.remove_files()
        shutil.rmtree(folder, ignore_errors=True)


async def _play(scenario: Scenario, stage: Stage, tempo: Tempo) -> dict[str, Any]:
    async with stage:
        if scenario.is_bare:
            await scenario.strike(stage)
            verdict = CellVerdict.BROKEN if stage.notes else CellVerdict.HOLDS
            return {"verdict": verdict, "reason": "; ".join(stage.notes), "notes": stage.notes}
        beginning = await _warm_up(scenario, stage, tempo)
        await scenario.strike(stage)
        rates = await _measure(stage, beginning, tempo)
        await stage.end_load()
        await stage.until_drained(DRAIN_SECONDS)
        await stage.dismiss(may_die=scenario.kills)
        history = read_history(stage.folder)
        tally = await _judge(scenario, stage, history)
        return _sum_up(stage, history, tally, rates)


async def _warm_up(scenario: Scenario, stage: Stage, tempo: Tempo) -> float:
    """Start everybody, wait until work flows, and let it flow for a while; tells when that began."""
    for name, plan in scenario.crews.items():
        await stage.hire(name, plan)
    await stage.begin_load(tempo.pace, scenario.types)
    workers = sum(plan.processes for plan in scenario.crews.values())
    if not await stage.watch.until_at_work(workers, START_SECONDS):
        raise RuntimeError(
            f"the workers did not begin in {START_SECONDS:g} s. The end of their log: {_read_log(stage)}"
        )
    await stage.watch.until_caught_up(tempo.pace, START_SECONDS)
    beginning = time.monotonic()
    await asyncio.sleep(tempo.calm)
    return beginning


def _read_log(stage: Stage) -> str:
    return " ".join(path.read_text(errors="replace")[-400:] for path in stage.folder.glob("*.log"))


async def _measure(stage: Stage, beginning: float, tempo: Tempo) -> Rates:
    begin, end = min(span.begin for span in stage.spans), max(span.end for span in stage.spans)
    before = stage.watch.rate(beginning, begin)
    goal = BACK * min(before, tempo.pace)
    back_after = await stage.watch.until_rate(goal, end, BACK_SECONDS)
    await asyncio.sleep(tempo.after)
    now = time.monotonic()
    return Rates(
        before=round(before, 1),
        during=round(stage.watch.rate(begin, end), 1),
        after=round(stage.watch.rate(end + (back_after or 0.0), now), 1),
        back_after=None if back_after is None else round(back_after, 1),
    )


async def _judge(scenario: Scenario, stage: Stage, history: History) -> Tally:
    # Those that have not ended by now are named by the checker.
    terms = Terms(forgot_at=stage.forgot_at, max_worker_deaths=scenario.max_worker_deaths)
    accounts = await collect_accounts(stage.control, await stage.place.read_booked(stage.control))
    tallies = [judge_history(history, accounts, terms)]
    tallies += [await _judge_snapshot(stage, history, one, terms) for one in stage.snapshots]
    complaints = [
        Broken(invariant=Invariant.EXPECTED, subject=scenario.name, message=complaint)
        for complaint in [*stage.complaints, *scenario.expect(accounts)]
    ]
    return merge_tallies(tallies, complaints)


async def _judge_snapshot(stage: Stage, history: History, snapshot: Snapshot, terms: Terms) -> Tally:
    """Judge a copy as if all that happened after it had never been."""
    async with await open_backend(snapshot.url) as backend:
        accounts = await collect_accounts(backend, await stage.place.read_booked(backend))
    then = msgspec.structs.replace(terms, is_drained=False)
    return judge_history(history.until(snapshot.at), accounts, then)


def _sum_up(stage: Stage, history: History, tally: Tally, rates: Rates) -> dict[str, Any]:
    verdict = CellVerdict.HOLDS if tally.holds else CellVerdict.BROKEN
    reason = "" if tally.holds else f"{tally.broken[0].subject}: {tally.broken[0].message}"
    if tally.holds and rates.back_after is None:
        verdict, reason = CellVerdict.SLOW, f"the rate was not back after {BACK_SECONDS:g} s"
    start = min((operation.began for operation in history.operations), default=0.0)
    return {
        "verdict": verdict,
        "reason": reason,
        "rates": rates,
        "tally": tally,
        "jobs": len({job_id for one in history.operations if one.move is Move.ENQUEUE for job_id in one.jobs}),
        "operations": len(history.operations),
        "unknown": sum(operation.is_open for operation in history.operations),
        "timeline": make_timeline(history, start),
        "faults": [
            Fault(what=span.what, begin=round(span.begin - start, 2), end=round(span.end - start, 2))
            for span in stage.spans
        ],
        "notes": stage.notes,
        "minutes": stage.minutes,
    }


def make_timeline(history: History, start: float) -> list[Beat]:
    """Count what was stored and finished in each second."""
    stored: dict[int, int] = {}
    finished: dict[int, int] = {}
    for one in history.operations:
        if one.is_open:
            continue
        second = int(one.ended - start)
        if one.move is Move.ENQUEUE:
            stored[second] = stored.get(second, 0) + len(one.answers)
        elif one.move is Move.COMPLETE:
            finished[second] = finished.get(second, 0) + sum(map(bool, one.answers))
    last = max([*stored, *finished], default=0)
    return [
        Beat(second=second, stored=stored.get(second, 0), finished=finished.get(second, 0))
        for second in range(last + 1)
    ]
