"""What can be looked at in every store: clock, notices, durability, and jobs that are stuck."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from dibs.assembly import explain_schema
from dibs.cli.printing.output import plural
from dibs.cli.spans import show_age
from dibs.engine.audit.actions import JobAction
from dibs.engine.job import Job
from dibs.engine.states import WAITING, State
from dibs.engine.store.backend import Backend
from dibs.engine.store.checkup import Check, Finding, Severity, ok, problem, surely, warning
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.store.reading import LARGEST_PAGE, AuditFilter, JobFilter, PageRequest
from dibs.engine.worker.options import WorkerOptions
from dibs.kit.clock import Clock, utc_now
from dibs.kit.figures import show_span

LARGEST_OFFSET = timedelta(seconds=1)
LONGEST_NOTICE = timedelta(seconds=3)
TWO_SWEEPS = 2 * WorkerOptions().sweep
LONGEST_WAIT = timedelta(minutes=1)
LATELY = timedelta(days=1)
PAGE, MOST_PAGES = 200, 25
MOST_NAMED = 3
NOTICE_QUEUE = "dibs:doctor"


class Checkup:
    """One look at a store. Nothing is changed; a check that the store does not allow becomes a warning."""

    def __init__(self, backend: Backend, second: Backend, clock: Clock = utc_now) -> None:
        self._backend = backend
        # A handle may hear its own notices without asking the store, so another one sends the test notice.
        self._second = second
        self._clock = clock

    async def examine(self) -> list[Finding]:
        """Look at everything, the backend's own examiner last."""
        findings = [await self.check_schema()]
        if findings[0].severity is Severity.PROBLEM:
            return findings
        for topic, check in self._checks().items():
            findings += await surely(topic, check)
        return findings

    def _checks(self) -> dict[str, Check]:
        examiner = self._backend.examiner
        own = {} if examiner is None else {"backend": examiner.examine}
        if self._backend.lease_examiner is not None:
            own["leases"] = self._backend.lease_examiner.examine
        return {
            "clock": self.check_clock,
            "notices": self.check_notices,
            "durability": self.check_durability,
            "lapsed jobs": self.check_lapsed,
            "untaken jobs": self.check_untaken,
            "quarantine": self.check_quarantine,
            **own,
        }

    async def check_schema(self) -> Finding:
        """Whether the tables are there and fit this code."""
        state = await self._backend.schema.state()
        if state.is_usable:
            return ok("schema", f"version {state.found}, as this Dibs needs it")
        what, _, advice = explain_schema(state).partition(". ")
        return problem("schema", what, advice)

    async def check_clock(self) -> list[Finding]:
        """How far this machine's clock is from the store's, give or take half a round trip."""
        before = self._clock()
        stores = await self._backend.reader.now()
        after = self._clock()
        offset = stores - (before + (after - before) / 2)
        side = "behind" if offset > timedelta(0) else "ahead of"
        how_far = f"this machine's clock is {show_span(offset)} {side} the store's"
        if abs(offset) <= LARGEST_OFFSET + (after - before) / 2:
            return [ok("clock", how_far)]
        advice = "Jobs are safe, for only the store's clock decides; but run_at counted here is off. Turn on NTP."
        return [warning("clock", how_far, advice)]

    async def check_notices(self) -> list[Finding]:
        """Whether a wake-up sent by one handle arrives at another, and how fast."""
        async with self._backend.notices.subscribe([NOTICE_QUEUE]) as subscription:
            began = time.monotonic()
            await self._second.notices.wake([NOTICE_QUEUE])
            has_come = await subscription.wait(LONGEST_NOTICE)
        took = timedelta(seconds=time.monotonic() - began)
        if has_come:
            return [ok("notices", f"a wake-up arrived within {show_span(took)}")]
        message = f"no wake-up arrived within {show_span(LONGEST_NOTICE)}: workers only find jobs by polling"
        advice = (
            "Behind a transaction pooler nobody can listen: give workers a direct or session-pooled address."
            " Otherwise look for notices=off in the URL, or rights on the channel."
        )
        return [warning("notices", message, advice)]

    async def check_durability(self) -> list[Finding]:
        """Whether the backend promises to keep what it acknowledged."""
        if self._backend.capabilities.durable:
            return [ok("durability", "the store keeps acknowledged jobs over a restart")]
        if self._backend.examiner is not None:
            # It says so itself, and how to change it.
            return []
        advice = "Turn persistence on (Redis: appendonly yes), or use this store only for jobs that may be lost."
        return [warning("durability", "the store may lose acknowledged jobs when it restarts", advice)]

    async def check_lapsed(self) -> list[Finding]:
        """Whether somebody sweeps."""
        now = await self._backend.reader.now()
        limit = now - TWO_SWEEPS
        search = await _search(self._backend, frozenset({State.RUNNING}), lambda job: _has_lapsed(job, limit))
        lapsed = search.found
        if not lapsed:
            newest = "the newest " if search.has_more else ""
            return [ok("lapsed jobs", f"none among {newest}{plural(search.seen, 'running job')}")]
        message = f"{plural(len(lapsed), 'running job')} lapsed long ago and nobody took them back: {_name(lapsed)}"
        advice = "Every worker sweeps, whatever its app; so none is alive, or none reaches the store. Start one."
        return [problem("lapsed jobs", message, advice)]

    async def check_untaken(self) -> list[Finding]:
        """Whether there are due jobs that no live worker would take."""
        now = await self._backend.reader.now()
        cards = [card for card in await self._backend.workers.list_workers() if card.state == "working"]
        search = await _search(self._backend, WAITING, lambda job: _is_untaken(job, cards, now))
        untaken = search.found
        if not untaken:
            return [ok("untaken jobs", f"none; {plural(len(cards), 'worker')} alive")]
        kinds = Counter(f"{job.job_type} in queue {job.queue} for tenant {job.tenant}" for job in untaken)
        most = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(MOST_NAMED))
        alive = plural(len(cards), "live worker")
        message = f"{plural(len(untaken), 'job')} due for a while, and none of {alive} takes them: {most}"
        advice = "Start a worker whose app has these tasks; look at its --queue, --type and --tenant: dibs workers"
        return [problem("untaken jobs", message, advice)]

    async def check_quarantine(self) -> list[Finding]:
        """Whether jobs were taken out because they kept losing their workers."""
        now = await self._backend.reader.now()
        page = await self._backend.reader.list_audit(
            AuditFilter(action=JobAction.QUARANTINED), PageRequest(limit=LARGEST_PAGE)
        )
        late = [entry for entry in page.items if entry.at > now - LATELY]
        if not late:
            return [ok("quarantine", f"no job was quarantined within {show_span(LATELY)}")]
        names = ", ".join(entry.subject.removeprefix("job:") for entry in late[:MOST_NAMED])
        last = show_age(late[0].at, now)
        message = f"{plural(len(late), 'job')} quarantined within {show_span(LATELY)}, the last {last} ago: {names}"
        advice = "Their workers died while running them (memory? a crash?). See dibs jobs show ID, then jobs retry."
        return [warning("quarantine", message, advice)]


class _Search(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs that were looked for, how many were looked at, and whether there are more."""

    found: list[Job]
    seen: int
    has_more: bool


async def _search(backend: Backend, states: frozenset[State], is_meant: Callable[[Job], bool]) -> _Search:
    """Look at the newest jobs of these states, a few at a time: their payloads may be large, and are not kept."""
    found: list[Job] = []
    seen, cursor = 0, None
    for _ in range(MOST_PAGES):
        page = await backend.reader.list_jobs(JobFilter(states=states), PageRequest(cursor=cursor, limit=PAGE))
        seen, cursor = seen + len(page.items), page.next_cursor
        found += [replace(job, input=None, progress=None) for job in page.items if is_meant(job)]
        if cursor is None:
            break
    return _Search(found=found, seen=seen, has_more=cursor is not None)


def _has_lapsed(job: Job, limit: datetime) -> bool:
    return job.lease_expires_at is not None and job.lease_expires_at < limit


def _is_untaken(job: Job, cards: Sequence[WorkerCard], now: datetime) -> bool:
    is_overdue = job.run_at is not None and job.run_at < now - LONGEST_WAIT
    return is_overdue and not any(_takes(card, job) for card in cards)


def _takes(card: WorkerCard, job: Job) -> bool:
    is_queue = card.queues is None or job.queue in card.queues
    return is_queue and job.job_type in card.job_types and card.tenant in (None, job.tenant)


def _name(jobs: Sequence[Job]) -> str:
    more = f" and {len(jobs) - MOST_NAMED} more" if len(jobs) > MOST_NAMED else ""
    return ", ".join(job.id for job in jobs[:MOST_NAMED]) + more
