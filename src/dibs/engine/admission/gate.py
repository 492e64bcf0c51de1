"""The gate: a pause that is kept in the store, so that whoever starts later obeys it too."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

import msgspec

from dibs.engine.job import Job


class GateMode(StrEnum):
    """How far a gate is shut. In the order of strictness."""

    OPEN = "open"
    DRAIN = "drain"
    CLOSED = "closed"


class GateScope(StrEnum):
    """What a gate stands before."""

    GLOBAL = "global"
    TENANT = "tenant"
    QUEUE = "queue"
    JOB_TYPE = "job_type"
    SOURCE = "source"


class Gate(msgspec.Struct, frozen=True, kw_only=True, tag="gate", omit_defaults=True):
    """A gate that is shut: nothing new starts behind it, and behind a closed one running jobs are asked to hand back.

    The store fills in `set_at`; `name` is empty for the global gate. Setting one to open takes it away, and
    takes no `expires_at`.
    """

    scope: GateScope
    name: str = ""
    mode: GateMode
    reason: str = ""
    actor: str = ""
    set_at: datetime | None = None
    expires_at: datetime | None = None

    @property
    def key(self) -> str:
        """What this gate is called among the rules."""
        return f"{self.scope}:{self.name}" if self.name else self.scope.value

    def stands_before(self, job: Job) -> bool:
        """Tell whether a job must pass here."""
        return self.scope is GateScope.GLOBAL or getattr(job, self.scope.value) == self.name

    def is_shut(self, now: datetime) -> bool:
        """Tell whether it still holds anybody back."""
        return self.mode is not GateMode.OPEN and (self.expires_at is None or now < self.expires_at)

    def stops_fetches(self, now: datetime, *, is_in_job: bool) -> bool:
        """Tell whether, being a source's, it keeps one from asking that; behind a draining one running jobs may."""
        return self.is_shut(now) and (self.mode is GateMode.CLOSED or not is_in_job)


def find_shut_gate(gates: Iterable[Gate], job: Job, now: datetime) -> Gate | None:
    """Find the gate that holds a job back; of several the strictest, and of those the widest."""
    shut = [gate for gate in gates if gate.is_shut(now) and gate.stands_before(job)]
    return max(shut, key=_strictness, default=None)


def _strictness(gate: Gate) -> tuple[int, int]:
    return list(GateMode).index(gate.mode), -list(GateScope).index(gate.scope)
