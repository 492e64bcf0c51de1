"""What workers write down while they work, and what must never be seen in it.

Everything is written by those who live through it, by the clock of the one machine they all run on: a hold begins for
the record when its claim was answered, and ends before its end is sent; a permit was granted somewhere between the call
and its answer; after its lease could have lapsed a hold counts no more. So what looks like a broken limit is one, and a
process that is killed leaves a record that is still true.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec


class Hold(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Somebody began to work on a job."""

    job_id: str
    token: int
    at: float
    lapses_at: float
    tenant: str
    key: str | None
    source: str | None
    max_cost: int


class Let(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Somebody is about to end its work on a job."""

    job_id: str
    token: int
    at: float


class Charged(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An end with a cost was accepted."""

    tenant: str
    cost: int
    at: float


class Granted(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A permit was granted between these instants."""

    source: str
    asked_at: float
    at: float


class Broke(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The store said that a source is left alone until an instant, and that it has failed so often."""

    source: str
    at: float
    until: float


class Taken(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A claim that was asked and answered at these instants brought a job of a source."""

    source: str
    asked_at: float
    at: float


Record = Hold | Let | Charged | Granted | Broke | Taken
_decoder = msgspec.json.Decoder(Record)


def read_records(folder: Path) -> list[Record]:
    """Read what all processes wrote; a last line that a kill cut off is nothing."""
    lines = [line for file in sorted(folder.glob("*.log")) for line in file.read_bytes().split(b"\n")[:-1]]
    return [_decoder.decode(line) for line in lines if line]


def most_at_once(holds: Iterable[Hold], records: Sequence[Record], weight: str = "") -> float:
    """Count the holds that surely were there at the same time, or add up one of their figures."""
    ends = {(one.job_id, one.token): one.at for one in records if isinstance(one, Let)}
    # A hold without an end was killed: of when, nothing is known but that it had begun.
    spans = [(hold.at, _surely_until(hold, ends), hold) for hold in holds]
    steps = [(begin, 1, hold) for begin, _, hold in spans] + [(end, -1, hold) for _, end, hold in spans]
    total = most = 0.0
    # What ends and begins at one instant was not there together.
    for _, sign, hold in sorted(steps, key=lambda step: step[:2]):
        total += sign * (getattr(hold, weight) if weight else 1)
        most = max(most, total)
    return most


def _surely_until(hold: Hold, ends: dict[tuple[str, int], float]) -> float:
    return max(hold.at, min(hold.lapses_at, ends.get((hold.job_id, hold.token), hold.at)))


def find_haste(grants: Sequence[Granted], interval: float, burst: int) -> str | None:
    """Find a span of time that surely saw more permits than the pace and the burst allow."""
    ordered = sorted(grants, key=lambda grant: grant.asked_at)
    for first, begin in enumerate(ordered):
        inside = sorted(grant.at for grant in ordered[first:])
        for count, end in enumerate(inside, 1):
            if (count - burst) * interval > end - begin.asked_at:
                return f"{count} permits within {end - begin.asked_at:.4f} s"
    return None


def find_disregard(records: Sequence[Record], source: str) -> str | None:
    """Find a claim of a source's job that was asked and answered while everybody was told to leave it alone."""
    broken = [one for one in records if isinstance(one, Broke) and one.source == source]
    taken = [one for one in records if isinstance(one, Taken) and one.source == source]
    for pause in broken:
        for claim in taken:
            if pause.at < claim.asked_at and claim.at < pause.until:
                return f"claimed {claim.asked_at - pause.at:.4f} s after the source was paused"
    return None
