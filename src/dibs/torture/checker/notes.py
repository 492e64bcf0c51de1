"""What the checker counts and finds."""

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum

import msgspec

MOST_KEPT = 20


class Invariant(StrEnum):
    """The promises, as far as a history can break them."""

    KEPT = "an acknowledged job is there, and ends"
    ONE_HOLDER = "a job has one holder at a time, and its token only grows"
    FENCED = "nothing of a superseded holder is accepted"
    ORDERED = "all answers fit one order of events"
    EFFECT_ONCE = "an effect in the job's transaction happens once"
    REMEMBERED = "every attempt is in the history, once"
    AUDITED = "every outcome, reclaim and act is in the audit log, once"
    COUNTED = "attempts and deaths are counted, and limited"
    STORE_CLOCK = "only the store's clock decides"
    LEASED = "a named lease has one holder, and its token only grows"
    EXPECTED = "what the scenario is about ended as it should"


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that was not kept."""

    invariant: Invariant
    subject: str
    message: str


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How often each invariant was looked at, how often it was broken, and the first examples."""

    checked: dict[Invariant, int]
    failed: dict[Invariant, int]
    broken: list[Broken] = []

    @property
    def holds(self) -> bool:
        """Whether nothing was broken."""
        return not any(self.failed.values())


class Notes:
    """Collects while the rules look."""

    def __init__(self) -> None:
        self._checked: dict[Invariant, int] = dict.fromkeys(Invariant, 0)
        self._failed: defaultdict[Invariant, int] = defaultdict(int)
        self._broken: list[Broken] = []

    def check(self, invariant: Invariant, holds: bool, subject: str, message: str) -> None:
        """Note that something was looked at, and what is wrong with it if anything is."""
        self._checked[invariant] += 1
        if holds:
            return
        self._failed[invariant] += 1
        if self._failed[invariant] <= MOST_KEPT:
            self._broken.append(Broken(invariant=invariant, subject=subject, message=message))

    def tally(self) -> Tally:
        """Sum up."""
        return Tally(checked=self._checked, failed=dict(self._failed), broken=self._broken)


def merge_tallies(tallies: Sequence[Tally], complaints: Sequence[Broken] = ()) -> Tally:
    """Add up several tallies, and what else is wrong."""
    checked = {one: sum(tally.checked.get(one, 0) for tally in tallies) for one in Invariant}
    failed = {one: sum(tally.failed.get(one, 0) for tally in tallies) for one in Invariant}
    checked[Invariant.EXPECTED] += 1
    failed[Invariant.EXPECTED] += len(complaints)
    broken = [*complaints, *(one for tally in tallies for one in tally.broken)]
    return Tally(checked=checked, failed=failed, broken=broken)
