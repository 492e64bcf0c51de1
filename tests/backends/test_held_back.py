"""Whoever is held back comes again: random histories of all that holds jobs back and lets them go, in fair queues.

Every store gives the jobs that the memory backend gives, and its ring knows everybody who may take a turn.
"""

import os
import random
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

from dibs.backends.sqlite.statements import migration_steps
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, SourceRule
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import ClaimRequest, Deferral, Drop, Failure, OnConflict, PruneRequest, UniqueRule
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.testing import PostgresStore, RedisStore, SqliteStore, StoreHarness
from dibs.testing.machine.governing import open_all, take_permit
from dibs.testing.machine.moves import reap_unordered
from dibs.testing.machine.pair import MODEL, REAL, Hold, Operation, Pair, agree, attempt
from dibs.testing.machine.values import MOMENT

ACT = {"actor": "op", "reason": "turns"}
MINUTE = timedelta(minutes=1)
ERROR = ErrorInfo(type="Boom", message="")
QUEUES, TYPES, SOURCES, KEYS = ("one", "two", "plain"), ("a", "b", "c"), ("ebay", "pcgs"), ("k", "l:1", "l:2")

# Lanes that nothing holds back whose tenant has no turn to come, and turns that are not where the tenant stands.
FAULTS_ON_POSTGRES = """
SELECT lanes.queue, lanes.tenant, lanes.job_type, ring.turn, turns.turn AS had FROM dibs.lanes
LEFT JOIN dibs.ring USING (queue, tenant, job_type)
LEFT JOIN dibs.turns USING (queue, tenant)
LEFT JOIN dibs.turns AS reached ON reached.queue = lanes.queue AND reached.tenant = ''
WHERE lanes.barrier = '' AND EXISTS (SELECT FROM dibs.ring AS kept WHERE kept.queue = lanes.queue AND kept.tenant = '')
    AND (ring.turn IS NULL OR greatest(ring.turn, reached.turn, 0) <> greatest(turns.turn, reached.turn, 0))
"""
FAULTS_IN_SQLITE = """
SELECT lanes.queue, lanes.tenant, lanes.job_type, ring.place, turns.place FROM dibs_lanes AS lanes
LEFT JOIN dibs_ring AS ring USING (queue, tenant, job_type)
LEFT JOIN dibs_turns AS turns USING (queue, tenant)
LEFT JOIN dibs_turns AS reached ON reached.queue = lanes.queue AND reached.tenant = ''
WHERE lanes.parked_on = '' AND lanes.queue IN (SELECT name FROM dibs_rules WHERE kind = 'queue') AND (
    ring.place IS NULL OR max(ring.place, coalesce(reached.place, 0))
        <> max(coalesce(turns.place, 0), coalesce(reached.place, 0))
)
UNION ALL
SELECT queue, tenant, job_type, place, 'has nothing' FROM dibs_ring AS ring WHERE NOT EXISTS (
    SELECT 1 FROM dibs_lanes AS lanes
    WHERE lanes.parked_on = '' AND lanes.queue = ring.queue AND lanes.tenant = ring.tenant
        AND lanes.job_type = ring.job_type
)
"""
RING_OF_SQLITE = "0008_turns_in_order.sql"


@pytest_asyncio.fixture(params=["sqlite", "postgres", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StoreHarness]:
    store: StoreHarness
    if request.param == "sqlite":
        store = SqliteStore()
    elif request.param == "postgres":
        store = await PostgresStore.start(request.getfixturevalue("postgres_url"))
    else:
        store = RedisStore(request.getfixturevalue("redis_url"))
    yield store
    await store.close()


class History:
    """One history of both. What is claimed must be the same jobs in the same order."""

    def __init__(self, pair: Pair, seed: int) -> None:
        self.pair = pair
        self.chance = random.Random(seed)
        self.tenants = [f"t{number:02}" for number in range(self.chance.choice((3, 8, 40)))]
        self.ways = [None, None, ["one"], ["two"], ["one", "plain"]]
        self.passed = timedelta(0)
        # The latest instant at which a job became due. A clock that is set back to before it makes stores differ: in
        # some the job stays due, in others it waits for that instant again.
        self.latest_due = timedelta(0)
        self.number = 0
        self.held: list[Hold] = []
        self.told: list[object] = []

    async def run(self, steps: int) -> None:
        moves = [
            *[self.claim] * 10, *[self.store] * 4, *[self.end] * 4, *[self.wait] * 3, *[self.set_limit] * 3,
            *[self.turn_gate] * 2, *[self.turn_source] * 3, *[self.make_fair] * 2, self.reap, self.operate, self.forget,
            self.open_gates, self.migrate, *[self.wake] * 2, *[self.spend] * 2, self.replace,
        ]  # fmt: skip
        await self.set_rule(QueueRule(name="one", fair=True))
        for number in range(steps):
            await self.chance.choice(moves)()
            # Who is missing stays missing: not every step need be looked at.
            if number % 5 == 4:
                await self.check_ring()
        await self.let_all_go()

    async def both(self, what: object, operation: Operation) -> list[Any]:
        self.told.append(what)
        answers = [await attempt(operation, self.pair.model, MODEL), await attempt(operation, self.pair.real, REAL)]
        self.told += [[job.id for job in some] for some in answers if is_claim(some)]
        agree(answers[REAL], answers[MODEL])
        return answers

    def pick(self, some: Iterable[Any]) -> Any:
        return self.chance.choice(list(some))

    async def store(self) -> None:
        facts = [self.describe() for _ in range(self.pick((1, 3, 10, 30)))]
        delay = self.pick((None, None, None, 5 * MINUTE))
        self.note_due(delay or timedelta(0))
        await self.both(("store", facts, delay), lambda backend, _: backend.store_jobs(make(facts), delay=delay))

    async def replace(self) -> None:
        """Store jobs in the place of waiting ones: more or less urgent, due now or later, perhaps of another queue."""
        keys = [f"once-{self.chance.randint(1, 4)}" for _ in range(self.pick((1, 3)))]
        facts = [
            {**self.describe(), "unique_key": key, "job_type": "a", "tenant": self.pick(self.tenants[:2])}
            for key in keys
        ]
        delay, rule = self.pick((None, None, 5 * MINUTE)), UniqueRule(on_conflict=OnConflict.REPLACE)
        self.note_due(delay or timedelta(0))
        await self.both(
            ("replace", facts, delay), lambda backend, _: backend.store_jobs(make(facts), unique=rule, delay=delay)
        )

    def describe(self) -> dict[str, Any]:
        self.number += 1
        return {
            "id": f"job-{self.number:05}",
            "queue": self.pick(QUEUES),
            "job_type": self.pick(TYPES),
            # Some have much more than others.
            "tenant": self.tenants[int(self.chance.random() ** 2 * len(self.tenants))],
            "priority": self.pick((0, 0, 0, 1, -1)),
            "concurrency_key": self.pick((None,) * 5 + KEYS),
            "source": self.pick((None,) * 5 + SOURCES),
            "max_cost_microcents": self.pick((0, 0, 2, 5)),
        }

    async def claim(self) -> None:
        limit, lease = self.pick((1, 2, 3, 5, 10, 25)), self.pick((7 * MINUTE, 600 * MINUTE))
        wanted = {
            "queues": self.pick(self.ways),
            "job_types": self.pick((None, None, ["a"], ["b", "c"])),
            "tenant": self.pick((None,) * 6 + (self.pick(self.tenants),)),
        }
        await self.claim_alike(limit, lease=lease, **wanted)

    async def wake(self) -> None:
        """Ask when to come again, and come at once: who is told to wait is given nothing."""
        queues = self.pick(self.ways)
        request = ClaimRequest(worker="w", queues=None if queues is None else tuple(queues))
        wake = await self.pair.real.admission.find_wake(request)
        self.told.append(("wake", queues, wake))
        assert not await self.claim_alike(3, lease=7 * MINUTE, queues=queues) or wake == timedelta(0)

    async def claim_alike(self, limit: int, **wanted: Any) -> int:
        model, real = await self.both(
            ("claim", limit, wanted), lambda backend, _: backend.claim_pending_jobs(limit, **wanted)
        )
        self.held += [(one.lease, other.lease) for one, other in zip(model, real, strict=True)]
        return len(model)

    async def end(self) -> None:
        self.chance.shuffle(self.held)
        count = self.pick((1, 5, 20))
        ended, self.held = self.held[:count], self.held[count:]
        how = self.pick((complete, complete, complete, fail, give_back, drop))
        pause = self.pick((timedelta(0), 5 * MINUTE))
        self.note_due(pause)
        names = [one[0].job_id for one in ended]
        await self.both(
            (how.__name__, names, pause), lambda backend, side: how(backend, [one[side] for one in ended], pause)
        )

    def note_due(self, delay: timedelta) -> None:
        self.latest_due = max(self.latest_due, self.passed + delay)

    async def wait(self) -> None:
        back = [span for span in (-4 * MINUTE, -17 * MINUTE, -180 * MINUTE) if self.passed + span >= self.latest_due]
        span = self.pick((3 * MINUTE, 7 * MINUTE, 13 * MINUTE, 660 * MINUTE, 1440 * MINUTE, *back, *back))
        self.told.append(("wait", span))
        self.passed += span
        await self.pair.advance(span)

    async def set_limit(self) -> None:
        tenant = self.pick(self.tenants[:4])
        rules: tuple[Rule, ...] = (
            TenantRule(name=tenant, weight=self.pick((1, 2, 3, 1000))),
            TenantRule(name=tenant, max_running=self.pick((0, 1, 4)), weight=self.pick((1, 2))),
            TenantRule(name=tenant, daily_budget_microcents=self.pick((0, 4, 20))),
            TenantRule(name=tenant, monthly_budget_microcents=self.pick((4, 50))),
            TenantRule(name=tenant),
            KeyRule(name=self.pick(("k", "l:", "l:1")), max_running=self.pick((None, 1, 3))),
        )
        await self.set_rule(self.pick(rules))

    async def make_fair(self) -> None:
        await self.set_rule(QueueRule(name=self.pick(("one", "one", "two")), fair=self.pick((True, True, False))))

    async def turn_gate(self) -> None:
        scope = self.pick(GateScope)
        names = {GateScope.GLOBAL: [""], GateScope.TENANT: self.tenants[:3], GateScope.QUEUE: QUEUES}
        name = self.pick(names.get(scope, SOURCES if scope is GateScope.SOURCE else TYPES))
        mode, expires_in = self.pick(GateMode), self.pick((None, 5 * MINUTE, 15 * MINUTE))
        has_end = expires_in is not None and mode is not GateMode.OPEN
        ends = [now + expires_in if has_end else None for now in await self.pair.read_clocks()]
        gates = [Gate(scope=scope, name=name, mode=mode, expires_at=end) for end in ends]
        await self.both(gates[0], lambda backend, side: backend.admission.set_rule(gates[side], **ACT))

    async def open_gates(self) -> None:
        await self.both("open gates", lambda backend, _: open_all(backend))

    async def set_rule(self, rule: Rule) -> None:
        await self.both(rule, lambda backend, _: backend.admission.set_rule(rule, **ACT))

    async def turn_source(self) -> None:
        name = self.pick(SOURCES)
        acts = (lambda: self.declare(self.describe_source(name)), lambda: self.resume(name), lambda: self.pause(name))
        await self.pick((*acts, self.report, self.report))()

    def describe_source(self, name: str) -> SourceRule:
        return SourceRule(
            name=name,
            rate_limit_per_minute=self.pick((None, 1, 2)),
            burst=self.pick((1, 3)),
            daily_quota=self.pick((None, None, 2)),
            failure_limit=self.pick((1, 2)),
            pause=5 * MINUTE,
            enabled=self.pick((True, True, False)),
        )

    async def declare(self, rule: SourceRule) -> None:
        await self.both(rule, lambda backend, _: backend.sources.declare(rule, **ACT))

    async def pause(self, name: str) -> None:
        span = self.pick((None, 5 * MINUTE))
        untils = [None if span is None else now + span for now in await self.pair.read_clocks()]
        await self.both(("pause", name, span), lambda backend, side: backend.sources.pause(name, untils[side], **ACT))

    async def resume(self, name: str) -> None:
        await self.both(("resume", name), lambda backend, _: backend.sources.resume(name, **ACT))

    async def report(self) -> None:
        hold, source, verdict = self.pick([None, *self.held]), self.pick(SOURCES), self.pick(FetchVerdict)
        await self.both(
            ("report", source, verdict, hold and hold[0]),
            lambda backend, side: backend.sources.report(
                FetchReport(source=source, token=0 if hold is None else hold[side].token, verdict=verdict)
            ),
        )

    async def spend(self) -> None:
        hold, source = self.pick([None, *self.held]), self.pick(SOURCES)
        await self.both(("spend", source, hold and hold[0]), partial(take_permit, source, hold, None, {}))

    async def reap(self) -> None:
        self.note_due(timedelta(0))
        await self.both("reap", reap_unordered)

    async def operate(self) -> None:
        names = [f"job-{self.chance.randint(1, self.number + 1):05}" for _ in range(self.pick((1, 5, 20)))]
        act = self.pick((Backend.cancel_jobs, Backend.cancel_jobs, Backend.retry_jobs, Backend.erase_jobs))
        chosen = sorted(set(names))
        self.note_due(timedelta(0))
        await self.both((act.__name__, chosen), lambda backend, _: act(backend, chosen, **ACT))

    async def forget(self) -> None:
        self.passed += MOMENT
        await self.pair.advance(MOMENT)
        request = PruneRequest(older_than=timedelta(0))
        await self.both("prune", lambda backend, _: backend.prune_jobs(request))

    async def migrate(self) -> None:
        """Take the ring away and let the migration make it anew, from a store in which jobs wait already."""
        self.told.append("migrate")
        if isinstance(self.pair.harness, PostgresStore):
            async with self.pair.harness.transaction() as connection:
                await connection.execute("DELETE FROM dibs.ring")
        elif isinstance(self.pair.harness, SqliteStore):
            async with self.pair.harness.transaction() as connection:
                migrate_anew(connection)

    async def check_ring(self) -> None:
        faults: list[Any] = []
        if isinstance(self.pair.harness, PostgresStore):
            async with self.pair.harness.transaction() as connection:
                faults = await connection.fetch(FAULTS_ON_POSTGRES)
        elif isinstance(self.pair.harness, SqliteStore):
            async with self.pair.harness.transaction() as connection:
                faults = connection.execute(FAULTS_IN_SQLITE).fetchall()
        assert not faults

    async def let_all_go(self) -> None:
        """Take everything away that holds back: nobody is left waiting."""
        await self.open_gates()
        for rule in await self.pair.model.admission.list_rules():
            if isinstance(rule, TenantRule | KeyRule):
                await self.set_rule(type(rule)(name=rule.name))
        for name in SOURCES:
            await self.declare(SourceRule(name=name, enabled=True))
            await self.resume(name)
        self.told.append("let all go")
        await self.pair.advance(24 * 60 * MINUTE)
        await self.reap()
        await self.end_all()
        while await self.claim_alike(25):
            await self.end_all()
        waiting = [job.id for job in await find_waiting(self.pair.real)]
        assert not waiting

    async def end_all(self) -> None:
        ended, self.held = self.held, []
        await self.both("end all", lambda backend, side: complete(backend, [one[side] for one in ended], MINUTE))


def is_claim(answer: Any) -> bool:
    return isinstance(answer, list) and all(isinstance(one, Job) for one in answer)


def make(facts: list[dict[str, Any]]) -> list[Job]:
    return [Job(**one) for one in facts]


async def complete(backend: Backend, leases: list[Lease], _: timedelta) -> list[bool]:
    return await backend.complete_jobs([backend.completion(one, cost_cents=Decimal("0.000003")) for one in leases])


async def fail(backend: Backend, leases: list[Lease], pause: timedelta) -> list[State | None]:
    return await backend.fail_jobs([Failure(lease=one, error=ERROR, retry_in=pause) for one in leases])


async def give_back(backend: Backend, leases: list[Lease], pause: timedelta) -> list[bool]:
    return await backend.snooze_jobs([Deferral(lease=one, delay=pause) for one in leases])


async def drop(backend: Backend, leases: list[Lease], _: timedelta) -> list[bool]:
    return await backend.drop_jobs([Drop(lease=one, reason="not needed") for one in leases])


async def find_waiting(backend: Backend) -> list[Job]:
    wanted = JobFilter(states=frozenset({State.PENDING, State.RETRYABLE, State.RUNNING}))
    return (await backend.reader.list_jobs(wanted, PageRequest(limit=1_000))).items


def migrate_anew(connection: Any) -> None:
    made = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'dibs_%'"
        " OR name IN ('dibs_ring', 'dibs_turns_places') ORDER BY type = 'table'"
    )
    for kind, name in made.fetchall():
        connection.execute(f"DROP {kind} {name}")
    for step in migration_steps(RING_OF_SQLITE):
        connection.execute(step)


async def check_histories(store: StoreHarness, seeds: Iterable[int], steps: int) -> None:
    for seed in seeds:
        pair = Pair(store)
        await pair.begin()
        history = History(pair, seed)
        try:
            await history.run(steps)
        except AssertionError as error:
            error.add_note(f"history {seed}:\n" + "\n".join(str(one)[:600] for one in history.told[-30:]))
            raise
        finally:
            await pair.end()


async def test_whoever_is_held_back_comes_again(store: StoreHarness) -> None:
    await check_histories(store, [1], 25)


@pytest.mark.system
async def test_in_many_histories_whoever_is_held_back_comes_again(store: StoreHarness) -> None:
    await check_histories(store, range(100, 100 + int(os.environ.get("DIBS_HISTORIES", "100"))), 60)
