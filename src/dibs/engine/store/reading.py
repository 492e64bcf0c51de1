"""Questions that dashboards and operators ask, and the answers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from dibs.engine.job import Job
from dibs.engine.states import UNFINISHED, State

DEFAULT_PAGE = 50
LARGEST_PAGE = 1_000

Item = TypeVar("Item")


class JobFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs are meant. None means any; a job must fit every field that is set."""

    states: frozenset[State] | None = None
    tenant: str | None = None
    queue: str | None = None
    job_type: str | None = None
    source: str | None = None
    parent_id: str | None = None
    unique_key: str | None = None
    locked_by: str | None = None

    def fits(self, job: Job) -> bool:
        """Tell whether a job is meant."""
        if self.states is not None and job.state not in self.states:
            return False
        return _agrees(self, job, but_not=("states",))


class PageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One page, newest first; `cursor` comes from the page before.

    `reach` bounds how far back a page looks, in numbers that the store has given to jobs or entries (Redis: in those
    looked at, by the thousand). Such a page may be short or empty, and still have a next one.
    """

    cursor: int | None = None
    limit: int = DEFAULT_PAGE
    reach: int | None = None

    def find_floor(self, lowest: int | None, highest: int | None) -> int | None:
        """Tell down to which number to look, where there are numbers from `lowest` to `highest`; None: to the end."""
        if self.reach is None or lowest is None or highest is None:
            return None
        floor = (highest + 1 if self.cursor is None else min(self.cursor, highest + 1)) - self.reach
        return floor if floor > lowest else None


class Page(msgspec.Struct, Generic[Item], frozen=True, kw_only=True):
    """Some items, and where the next page begins (None: there is no next one)."""

    items: list[Item]
    next_cursor: int | None = None


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Who did what to what, when and why. `sequence` only grows."""

    sequence: int
    at: datetime
    tenant: str
    actor: str
    action: str
    subject: str
    reason: str = ""
    token: int | None = None
    detail: Any = None


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are meant. None means any; `since` is the first instant meant, `until` the first one not.

    `without`: an action whose entries are not meant.
    """

    tenant: str | None = None
    actor: str | None = None
    action: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    without: str | None = None

    def fits(self, entry: AuditEntry) -> bool:
        """Tell whether an entry is meant."""
        if (self.since is not None and entry.at < self.since) or (self.until is not None and entry.at >= self.until):
            return False
        return entry.action != self.without and _agrees(self, entry, but_not=("since", "until", "without"))


def collect_queues(rows: Iterable[tuple[str, State, int]]) -> dict[str, dict[State, int]]:
    """Sum counts by queue and state, the queues in the order of their names."""
    queues: dict[str, dict[State, int]] = {}
    for queue, state, count in rows:
        counts = queues.setdefault(queue, {state: 0 for state in State if state in UNFINISHED})
        counts[state] += count
    return dict(sorted(queues.items()))


def _agrees(wanted: msgspec.Struct, found: msgspec.Struct, *, but_not: tuple[str, ...]) -> bool:
    """Tell whether every field that is set in `wanted` has the same value in `found`."""
    return all(
        getattr(wanted, name) in (None, getattr(found, name))
        for name in wanted.__struct_fields__
        if name not in but_not
    )
