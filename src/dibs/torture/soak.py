"""A soak: an even load for a long time, and nothing that may grow does."""

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import msgspec

from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.stage import Stage

SAMPLE_SECONDS = 5.0
FEWEST_SAMPLES = 8
KIBIBYTE = 1024
# A span of the run is compared with another one; chance alone moves figures by less than this.
MOST_GROWTH = {"resident_kib": (1.10, 4 * KIBIBYTE), "handles": (1.0, 4), "threads": (1.0, 3)}
LATENCY_GROWTH, LATENCY_SLACK = 1.5, 0.1


class Vitals(msgspec.Struct, frozen=True, kw_only=True):
    """What a process takes at an instant."""

    at: float
    resident_kib: int
    handles: int
    threads: int


def read_vitals(pid: int) -> Vitals | None:
    """Look at a process; None when it is gone."""
    folder = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        handles = len(list((folder / "fd").iterdir()))
        resident = int(status["VmRSS"].split()[0])
    except (OSError, KeyError):
        return None
    return Vitals(at=time.monotonic(), resident_kib=resident, handles=handles, threads=int(status["Threads"]))


def make_soak(length: timedelta) -> Scenario:
    """Make a scenario of it, so that it is judged like all others."""
    complaints: list[str] = []

    async def strike(stage: Stage) -> None:
        complaints.clear()
        samples: defaultdict[int, list[Vitals]] = defaultdict(list)
        begin = time.monotonic()
        with stage.broken(f"nothing broken, for {length}"):
            while time.monotonic() < begin + length.total_seconds():
                await asyncio.sleep(min(SAMPLE_SECONDS, length.total_seconds() / 20))
                for pid in stage.watch.workers():
                    vitals = read_vitals(pid)
                    if vitals is not None:
                        samples[pid].append(vitals)
        for pid, taken in samples.items():
            stage.notes.append(describe_growth(f"worker {pid}", taken))
            complaints.extend(find_growth(f"worker {pid}", taken))
        complaints.extend(find_delay(stage.watch.latencies, begin, time.monotonic(), stage.notes))

    return Scenario(
        name="soak",
        title=f"an even load for {length}, and nothing that grows",
        strike=strike,
        needs=(Need.LINUX,),
        expect=lambda _: complaints,
        longest=length + timedelta(minutes=30),
    )


def split_quarters(samples: Sequence[Vitals]) -> tuple[Sequence[Vitals], Sequence[Vitals]]:
    """Give the second and the last quarter: in the first one, caches fill."""
    quarter = len(samples) // 4
    return samples[quarter : 2 * quarter], samples[-quarter:]


def find_growth(who: str, samples: Sequence[Vitals]) -> list[str]:
    """Say what grew by more than chance; a process that was seen too seldom says nothing."""
    if len(samples) < FEWEST_SAMPLES:
        return []
    early, late = split_quarters(samples)
    found = []
    for name, (factor, slack) in MOST_GROWTH.items():
        before, after = (statistics.median(getattr(one, name) for one in part) for part in (early, late))
        if after > before * factor + slack:
            found.append(f"{who}: {name} grew from {before:.0f} to {after:.0f}")
    return found


def describe_growth(who: str, samples: Sequence[Vitals]) -> str:
    """Tell the figures, whether they grew or not."""
    first, last = samples[0], samples[-1]
    return (
        f"{who}: {first.resident_kib // KIBIBYTE} to {last.resident_kib // KIBIBYTE} MiB,"
        f" {first.handles} to {last.handles} handles, {first.threads} to {last.threads} threads"
    )


def find_delay(latencies: Sequence[tuple[float, float]], begin: float, end: float, notes: list[str]) -> list[str]:
    """Compare how long jobs took from being stored to being finished, in the second and the last quarter."""
    quarter = (end - begin) / 4
    early = [took for at, took in latencies if begin + quarter <= at < begin + 2 * quarter]
    late = [took for at, took in latencies if at >= end - quarter]
    if not early or not late:
        return ["too few jobs were finished to tell how long they take"]
    before, after = statistics.median(early), statistics.median(late)
    notes.append(f"half of the jobs were finished within {before * 1000:.0f} ms early, {after * 1000:.0f} ms late")
    if after > before * LATENCY_GROWTH + LATENCY_SLACK:
        return [f"jobs took {before:.3f} s early and {after:.3f} s late"]
    return []
