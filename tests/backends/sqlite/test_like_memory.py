"""Whatever happens, SQLite gives the answers of the specification in memory: long random histories of admission."""

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, Permit, Source, SourceRule
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job, Lease
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Deferral, Drop, Failure, OnConflict, UniqueRule
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
from dibs.errors import DibsError
from tests.backends.sqlite.frozen import FrozenPair

TENANTS, QUEUES, TYPES = ("acme", "zeta", "nova"), ("fast", "slow"), ("mail", "crawl")
SOURCES, KEYS = (None, None, "ebay", "coins"), (None, None, "host", "account:1", "account:2")
SPANS = (timedelta(0), timedelta(seconds=7), timedelta(minutes=1), timedelta(minutes=6), timedelta(hours=1))
Act = Callable[[Backend, dict[str, int]], Awaitable[Any]]


class History:
    """One random history, done to both stores; tokens differ, so leases are kept by job."""

    def __init__(self, pair: FrozenPair, seed: int) -> None:
        self.pair = pair
        self.chance = random.Random(seed)
        self.number = 0
        self.told: list[str] = []

    async def check(self, steps: int) -> None:
        self.model, self.real = await self.pair.open()
        self.tokens: dict[int, dict[str, int]] = {id(self.model): {}, id(self.real): {}}
        try:
            for _ in range(steps):
                await self.step()
        finally:
            await self.real.close()

    async def step(self) -> None:
        name = self.chance.choice(ACTS)
        self.told.append(name)
        if name == "forget":
            # Nobody forgets what was written in this very millisecond.
            await self.pair.advance(timedelta(milliseconds=1))
        if name == "advance":
            await self.pair.advance(self.chance.choice(SPANS))
        else:
            await self.both(getattr(self, name)())
        if self.chance.random() < 0.2:
            await self.compare()

    async def both(self, act: Act) -> None:
        expected = await self.attempt(act, self.model)
        found = await self.attempt(act, self.real)
        assert found == expected, "\n".join(self.told[-30:])

    async def attempt(self, act: Act, backend: Backend) -> Any:
        try:
            return without_number(await act(backend, self.tokens[id(backend)]))
        except DibsError as error:
            return type(error)

    def store(self) -> Act:
        pick = self.chance.choice
        jobs = []
        for _ in range(pick((1, 1, 3, 12))):
            self.number += 1
            delay = pick((None, None, None, timedelta(seconds=30)))
            jobs.append(
                Job(
                    id=f"job-{self.number}",
                    job_type=pick(TYPES),
                    tenant=pick(TENANTS),
                    queue=pick(QUEUES),
                    priority=pick((0, 0, 1, 2)),
                    source=pick(SOURCES),
                    concurrency_key=pick(KEYS),
                    unique_key=pick((None, None, None, "k")),
                    max_cost_microcents=pick((0, 1, 5, 20)),
                    run_at=None if delay is None else self.pair.now + delay,
                )
            )
        unique = UniqueRule(on_conflict=pick(list(OnConflict)))
        return lambda backend, _: ids_of(backend.store_jobs(jobs, unique=unique))

    def claim(self) -> Act:
        wanted: dict[str, Any] = {
            "job_types": self.chance.choice((None, None, ("mail",), TYPES)),
            "queues": self.chance.choice((None, None, ("fast",), QUEUES)),
            "tenant": self.chance.choice((None, None, None, "acme")),
        }
        limit, lease = self.chance.choice((1, 2, 5, 40)), self.chance.choice((timedelta(minutes=2), timedelta(hours=2)))

        async def act(backend: Backend, tokens: dict[str, int]) -> Any:
            jobs = await backend.claim_pending_jobs(limit, lease=lease, worker="w", **wanted)
            assert [job.lease_token for job in jobs] == sorted({job.lease_token for job in jobs})
            tokens.update({job.id: job.lease_token for job in jobs})
            return [job.id for job in jobs]

        return act

    def some(self, most: int = 3) -> list[str]:
        known = sorted(self.tokens[id(self.model)])
        return self.chance.sample(known, min(len(known), self.chance.randint(1, most)))

    def complete(self) -> Act:
        chosen, cost = self.some(6), self.chance.choice((0, 0, 1, 7))

        async def act(backend: Backend, tokens: dict[str, int]) -> Any:
            ends = [backend.completion(Lease(one, tokens[one]), None, cost_cents=cost) for one in chosen]
            return await backend.complete_jobs(ends)

        return act

    def fail(self) -> Act:
        chosen, kind = self.some(), self.chance.choice(list(FailureKind))
        facts: dict[str, Any] = {
            "error": ErrorInfo(type="Boom"),
            "kind": kind,
            "cost_microcents": self.chance.choice((0, 3)),
        }
        return lambda backend, tokens: backend.fail_jobs(
            [Failure(lease=Lease(one, tokens[one]), **facts) for one in chosen]
        )

    def snooze(self) -> Act:
        chosen, delay = self.some(), self.chance.choice((timedelta(0), timedelta(seconds=30)))
        return lambda backend, tokens: backend.snooze_jobs(
            [Deferral(lease=Lease(one, tokens[one]), delay=delay, cost_microcents=2) for one in chosen]
        )

    def drop(self) -> Act:
        chosen = self.some()
        return lambda backend, tokens: backend.jobs.drop(
            [Drop(lease=Lease(one, tokens[one]), cost_microcents=1) for one in chosen]
        )

    def cancel(self) -> Act:
        chosen = [f"job-{self.chance.randint(1, self.number + 1)}" for _ in range(2)]
        return lambda backend, _: backend.cancel_jobs(chosen, actor="op", reason="why not")

    def retry(self) -> Act:
        chosen = [f"job-{self.chance.randint(1, self.number + 1)}" for _ in range(3)]
        return lambda backend, _: backend.retry_jobs(list(dict.fromkeys(chosen)), actor="op", reason="again")

    def reap(self) -> Act:
        async def act(backend: Backend, _: dict[str, int]) -> Any:
            return sorted((one.lease.job_id, one.state) for one in await backend.reap_jobs(100))

        return act

    def set_rule(self) -> Act:
        pick = self.chance.choice
        rule = pick(
            (
                TenantRule(name=pick(TENANTS), max_running=pick((None, None, 0, 1, 3)), weight=pick((1, 3))),
                TenantRule(name=pick(TENANTS)),
                TenantRule(
                    name=pick(TENANTS),
                    daily_budget_microcents=pick((None, 5, 30)),
                    monthly_budget_microcents=pick((None, 12, 60)),
                ),
                QueueRule(name=pick(QUEUES), fair=pick((True, True, False))),
                KeyRule(name=pick(("host", "account:", "account:1")), max_running=pick((1, 2, 3))),
                self.gate(),
                self.gate(),
            )
        )
        self.told.append(repr(rule))
        return lambda backend, _: backend.admission.set_rule(rule, actor="op", reason="a rule")

    def gate(self) -> Gate:
        pick = self.chance.choice
        scope = pick(list(GateScope))
        names = {"tenant": TENANTS, "queue": QUEUES, "job_type": TYPES, "source": ("ebay", "coins"), "global": ("",)}
        mode = pick((GateMode.OPEN, GateMode.OPEN, GateMode.DRAIN, GateMode.CLOSED))
        expires_at = None if mode is GateMode.OPEN else pick((None, self.pair.now + timedelta(minutes=1)))
        return Gate(scope=scope, name=pick(names[scope.value]), mode=mode, expires_at=expires_at)

    def declare(self) -> Act:
        pick = self.chance.choice
        rule = SourceRule(
            name=pick(("ebay", "coins")),
            rate_limit_per_minute=pick((None, 1, 10, 60)),
            burst=pick((1, 2, 5)),
            daily_quota=pick((None, None, 2, 20)),
            failure_limit=pick((1, 2)),
            pause=timedelta(minutes=2),
        )
        return lambda backend, _: backend.sources.declare(rule, actor="op", reason="a source")

    def pause(self) -> Act:
        name, until = self.chance.choice(("ebay", "coins")), self.chance.choice((None, timedelta(minutes=1)))
        instant = None if until is None else self.pair.now + until
        return lambda backend, _: backend.sources.pause(name, instant, actor="op", reason="a pause")

    def resume(self) -> Act:
        name = self.chance.choice(("ebay", "coins"))
        return lambda backend, _: backend.sources.resume(name, actor="op", reason="go on")

    def take_permit(self) -> Act:
        name, chosen = self.chance.choice(("ebay", "coins")), self.chance.choice((None, *self.some()))
        is_hop = self.chance.choice((False, False, True))

        async def act(backend: Backend, tokens: dict[str, int]) -> Any:
            lease = None if chosen is None else Lease(chosen, tokens[chosen])
            token = tokens.get(name, 0) if lease is None else lease.token
            permit = await backend.sources.take_permit(name, lease, hop_of=token if is_hop else None)
            if permit.token and lease is None:
                tokens[name] = permit.token
            return permit

        return act

    def report(self) -> Act:
        name, verdict = self.chance.choice(("ebay", "coins")), self.chance.choice(list(FetchVerdict))
        chosen = self.chance.choice((None, *self.some()))
        return lambda backend, tokens: backend.sources.report(
            FetchReport(source=name, verdict=verdict, token=tokens.get(name, 0) if chosen is None else tokens[chosen])
        )

    def append(self) -> Act:
        entry = NewEntry(
            action="SENT", subject="mail:1", actor="app", tenant=self.chance.choice(TENANTS), detail={"n": 1}
        )
        return lambda backend, _: backend.audit.append([entry])

    def seal(self) -> Act:
        limit = self.chance.choice((1, 5, 100))

        async def act(backend: Backend, _: dict[str, int]) -> Any:
            entries = await backend.audit.list_unsealed(limit)
            return [await backend.audit.seal(seals) for seals in chain(entries, await backend.audit.list_heads())]

        return act

    def forget(self) -> Act:
        tenant, through = self.chance.choice(TENANTS), self.chance.randint(1, 30)
        return lambda backend, _: backend.audit.forget_sealed(tenant, through)

    async def compare(self) -> None:
        await self.both(look)
        await self.both(look_at_log)
        for one in [f"job-{self.chance.randint(1, self.number + 1)}" for _ in range(5)]:
            await self.both(partial(find_standing, one))


async def find_standing(job_id: str, backend: Backend, _: dict[str, int]) -> Any:
    standing = await backend.admission.find_standing(job_id)
    return standing and replace(standing, source=without_number(standing.source))


def without_number(answer: Any) -> Any:
    """Tokens differ from store to store."""
    if isinstance(answer, Permit):
        return replace(answer, token=answer.token != 0)
    return replace(answer, lone_probe=answer.lone_probe != 0) if isinstance(answer, Source) else answer


async def ids_of(stored: Awaitable[list[Job | None]]) -> list[str | None]:
    return [None if job is None else job.id for job in await stored]


async def look(backend: Backend, _: dict[str, int]) -> Any:
    jobs = (await backend.reader.list_jobs(JobFilter(), PageRequest(limit=1000))).items
    seen = [
        (job.id, job.state, job.priority, job.max_cost_microcents, job.cost_microcents, job.attempts) for job in jobs
    ]
    rules = await backend.admission.list_rules()
    sources = [without_number(source) for source in await backend.sources.list_sources()]
    return seen, rules, sources, await backend.reader.count_queues(), await backend.reader.count_jobs(JobFilter())


async def look_at_log(backend: Backend, _: dict[str, int]) -> Any:
    entries = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=1000))).items
    told = [(one.sequence, one.at, one.tenant, one.actor, one.action, one.subject, one.detail) for one in entries]
    counts = [await backend.audit.count_unsealed(tenant) for tenant in (None, *TENANTS)]
    heads = [(one.tenant, one.position, one.sequence) for one in await backend.audit.list_heads()]
    sealed = [
        (one.seal.position, one.seal.sequence, one.entry is None)
        for tenant in TENANTS
        for one in await backend.audit.list_sealed(tenant, 0, 1000)
    ]
    return told, counts, heads, sealed


ACTS = (
    *("store", "claim", "complete") * 6,
    *("advance", "set_rule", "take_permit", "report") * 3,
    *("fail", "snooze", "drop", "cancel", "retry", "reap", "declare", "pause", "resume", "resume"),
    *("append", "seal", "forget"),
)


@pytest.mark.parametrize("seed", range(12))
async def test_a_random_history_of_admission_has_one_truth(tmp_path: Path, seed: int) -> None:
    await History(FrozenPair(tmp_path), seed).check(150)
