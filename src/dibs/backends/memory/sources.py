"""Sources in memory."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from dibs.backends.memory.world import World
from dibs.engine.admission.entries import BREAKER, AdmissionAction, source_change, source_subject
from dibs.engine.admission.source import (
    FetchReport,
    Permit,
    Source,
    SourceRule,
    declare,
    find_wait,
    has_told,
    pause,
    resume,
    spend,
    take_note,
)
from dibs.engine.audit.actions import ALL_TENANTS
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.moves import OperatorAct


class MemorySources:
    """What is declared of sources, and how they stand."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._books = world.books

    async def declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source | None:
        """Keep what is declared of a source."""
        with self._world:
            known = self._books.sources.get(rule.name)
            if expected is not None and (known is None or known.rule != expected):
                return None
            source = declare(self._books.find_source(rule.name), rule, self._world.now)
            detail = {"before": _shown(known), "after": msgspec.to_builtins(source.rule)}
            return self._keep(source, AdmissionAction.SOURCE_DECLARED, act, detail)

    async def find_sources(self, names: Sequence[str]) -> list[Source | None]:
        """Read sources by name."""
        with self._world:
            return [self._books.sources.get(name) for name in names]

    async def list_sources(self) -> list[Source]:
        """Read all sources."""
        with self._world:
            return [source for _, source in sorted(self._books.sources.items())]

    async def pause(self, name: str, until: datetime | None, act: OperatorAct) -> Source:
        """Give no permit before `until`."""
        with self._world:
            source = self._books.find_source(name)
            paused = pause(source, until)
            detail = source_change(self._books.sources.get(name), paused)
            return self._keep(paused, AdmissionAction.SOURCE_PAUSED, act, detail)

    async def resume(self, name: str, act: OperatorAct) -> Source:
        """Enable a source, end its pause and its wait, close its breaker."""
        with self._world:
            resumed = resume(self._books.find_source(name))
            detail = source_change(self._books.sources.get(name), resumed)
            return self._keep(resumed, AdmissionAction.SOURCE_RESUMED, act, detail)

    def _keep(self, source: Source, action: AdmissionAction, act: OperatorAct, detail: object) -> Source:
        self._books.sources[source.name] = source
        self._world.record_act(action, source_subject(source.name), act, tenant=ALL_TENANTS, detail=detail)
        self._world.tell_held()
        return source

    async def take_permit(self, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
        """Spend one permit now."""
        with self._world:
            job = None if lease is None else self._find_held(lease)
            if lease is not None and job is None:
                return Permit(granted=False, is_lease_lost=True)
            gate = self._books.find_source_gate(name, self._world.now, is_in_job=job is not None)
            if gate is not None:
                return Permit(granted=False, until=gate.expires_at)
            return self._spend(name, job, hop_of)

    def _find_held(self, lease: Lease) -> Job | None:
        job = self._world.jobs.get(lease.job_id)
        is_held = job is not None and job.state is State.RUNNING and job.lease_token == lease.token
        return job if is_held else None

    def _spend(self, name: str, job: Job | None, hop_of: int | None) -> Permit:
        source = self._books.find_source(name)
        mine = "" if job is None else job.id
        others = [other for other in self._books.permits if other != mine and self._world.jobs[other].source == name]
        is_probing = name in self._books.probes and self._books.probes[name].job_id != mine
        reserved = len(others)
        wait = find_wait(source, self._world.now, reserved=reserved, is_probing=is_probing, hop_of=hop_of)
        if wait is not None:
            return Permit(granted=False, until=wait.until)
        if job is not None and job.source == name:
            self._books.permits.discard(job.id)
        if job is not None and source.is_broken:
            self._books.probes[name] = job.lease
        is_lone = job is None and source.is_broken
        lone_token = (hop_of or self._world.next_token()) if is_lone else 0
        self._books.sources[name] = spend(source, self._world.now, lone_token=lone_token)
        self._world.tell_held()
        return Permit(granted=True, token=lone_token if job is None else job.lease_token)

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        with self._world:
            before = self._books.find_source(report.source)
            prober = self._books.probes.get(report.source)
            is_probe = before.is_probe(report, None if prober is None else prober.token)
            after = take_note(before, report, self._world.now, is_probe=is_probe)
            self._books.sources[report.source] = after
            if has_told(before, after):
                self._books.probes.pop(report.source, None)
            if before.is_broken != after.is_broken:
                self._record_breaker(after)
            self._world.tell_held()
            return after

    def _record_breaker(self, source: Source) -> None:
        action = AdmissionAction.SOURCE_BROKEN if source.is_broken else AdmissionAction.SOURCE_MENDED
        act = OperatorAct(actor=BREAKER, reason="")
        detail = {"failure_streak": source.failure_streak}
        self._world.record_act(action, source_subject(source.name), act, tenant=ALL_TENANTS, detail=detail)


def _shown(source: Source | None) -> object:
    return None if source is None else msgspec.to_builtins(source.rule)
