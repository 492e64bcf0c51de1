"""What a store must keep for admission, beside jobs. The claim itself is `JobStore.claim`.

A claim gives a due job only if `dibs.engine.admission.obstacle.find_obstacles` finds nothing at that instant, counting
what the same claim has given already. Order: in a fair queue the tenants take turns (`turns.py`), priority and age
count inside a tenant; among the queues, and in queues that are not fair, higher priority first, then the one stored
first. What a running job holds (its key, its tenant's slot, its permit, its reservation, the probe) is freed by the
very write that ends, returns, cancels or reclaims it; the cost that this write reports is added to what its tenant has
spent. Whoever may free a waiting job in any of these ways tells its queue (`Notices`): the end of a job, a permit that
is spent, a report, a rule.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import Rule
from dibs.engine.admission.source import FetchReport, Permit, Source, SourceRule
from dibs.engine.job import Lease
from dibs.engine.store.moves import ClaimRequest, OperatorAct


class Admission(Protocol):
    """The rules, and what they mean for one job."""

    async def set_rule(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> bool:
        """Keep a rule in place of the one with its kind and name, or take that away if this one says nothing.

        Once it returns, no claim goes by the old one. Audited with what held before and after. False: that was not
        `expected` (apart from when a gate was set), and nothing has changed; looked at in the same move.
        """

    async def list_rules(self) -> list[Rule]:
        """Read all rules, by kind and name; gates that have expired are not shown."""

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run; None where there is no such job."""

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits; None: this one does, or it does not stand there yet."""

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone; None: nobody knows.

        That is when the next waiting job becomes due, a source gives its next permit, a pause, a gate or a day ends.
        """


class Sources(Protocol):
    """The sources of data that jobs name. One that was never declared has no limit, and a breaker like all others."""

    async def declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source | None:
        """Keep what is declared of a source; how it stands is not touched, but its pace is told anew. Audited.

        None: what was declared was not `expected`, and nothing has changed; looked at in the same move.
        """

    async def find_sources(self, names: Sequence[str]) -> list[Source | None]:
        """Read sources by name."""

    async def list_sources(self) -> list[Source]:
        """Read all sources that were declared or reported on, by name."""

    async def pause(self, name: str, until: datetime | None, act: OperatorAct) -> Source:
        """Give no permit before `until` (None: the source is disabled). Audited."""

    async def resume(self, name: str, act: OperatorAct) -> Source:
        """Enable a source, end its pause and its wait, close its breaker. Audited."""

    async def take_permit(self, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
        """Spend one permit now: the one that the job's claim reserved, or one more; outside of jobs without a lease.

        Refused with the instant from which to ask again. A superseded holder gets none, nor does anybody behind a
        closed gate of the source. `hop_of`: the token of a fetch that is answered with a redirect, which is followed at
        once; those who come next wait for it.
        """

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went. The breaker's opening and closing are audited."""
