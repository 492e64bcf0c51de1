"""Caps and cool-downs, and when they let the next run begin. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from dibs.errors import BadInput

DAY = timedelta(hours=24)
EVERY = "*"
MOST_A_DAY = 10_000
LONGEST_COOL_DOWN = timedelta(days=365)


class CapScope(StrEnum):
    """What a cap counts together."""

    ALL = "all"
    BOARD = "board"
    COMPANY = "company"


class Cap(Struct, frozen=True, kw_only=True):
    """How often agents may apply. `name` is that of a board or company; `*`: each that has no cap of its own."""

    scope: CapScope
    name: str = EVERY
    most_a_day: int | None = None
    cool_down: timedelta | None = None


class Recent(Struct, frozen=True, kw_only=True):
    """A run that counts: one that has not failed."""

    run_id: str
    created_at: datetime


class Wait(Struct, frozen=True, kw_only=True):
    """What stands in the way: the run that counts, until when, and whether it is a cool-down."""

    run_id: str
    until: datetime
    is_cool_down: bool


def check_cap(cap: Cap) -> None:
    """Refuse a cap that makes no sense."""
    if cap.scope is CapScope.ALL and cap.name != EVERY:
        message = f"a cap on everything has no name, and {cap.name[:80]!r} is one. Leave it out."
        raise BadInput(message)
    if cap.most_a_day is not None and not 1 <= cap.most_a_day <= MOST_A_DAY:
        message = f"most_a_day {cap.most_a_day} is not usable. Use 1 to {MOST_A_DAY}, or none."
        raise BadInput(message)
    if cap.cool_down is not None and not timedelta(0) < cap.cool_down <= LONGEST_COOL_DOWN:
        message = f"a cool-down of {cap.cool_down} is not usable. Use up to {LONGEST_COOL_DOWN.days} days, or none."
        raise BadInput(message)


def choose_caps(caps: Sequence[Cap], *, board: str, company: str) -> list[Cap]:
    """Pick the caps that concern a posting; one of its own board or company goes before that of each."""
    chosen = []
    for scope, name in ((CapScope.ALL, EVERY), (CapScope.BOARD, board), (CapScope.COMPANY, company)):
        if not name:
            continue
        fitting = {cap.name: cap for cap in caps if cap.scope is scope}
        found = fitting.get(name) or fitting.get(EVERY)
        if found is not None:
            chosen.append(found)
    return chosen


def find_wait(cap: Cap, recent: Sequence[Recent], now: datetime) -> Wait | None:
    """Tell how long a cap makes wait, by the runs that count, the latest first; None: it does not."""
    waits = []
    if cap.cool_down is not None and recent:
        waits.append(Wait(run_id=recent[0].run_id, until=recent[0].created_at + cap.cool_down, is_cool_down=True))
    if cap.most_a_day is not None and len(recent) >= cap.most_a_day:
        last = recent[cap.most_a_day - 1]
        waits.append(Wait(run_id=last.run_id, until=last.created_at + DAY, is_cool_down=False))
    return max((wait for wait in waits if wait.until > now), key=lambda wait: wait.until, default=None)
