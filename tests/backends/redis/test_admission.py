"""How governed jobs wait on Redis: what a claim costs behind many of them, and how jobs of older code come to obey."""

import asyncio
import sys
from collections import Counter
from datetime import timedelta

import msgspec
import pytest

import dibs
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, TenantRule
from dibs.engine.admission.source import SourceRule
from dibs.engine.audit.sealing import chain
from dibs.engine.store.moves import ClaimRequest
from dibs.engine.store.reading import AuditFilter, PageRequest
from tests.backends.redis.version_1 import OldCode

ACT = {"actor": "op", "reason": "test"}
MINUTE = timedelta(minutes=1)
pack = msgspec.msgpack.encode


def jobs_of(name: str, count: int, **fields):
    return [dibs.Job(id=f"{name}-{number}", job_type="test", **fields) for number in range(count)]


async def commands_of(store, work) -> Counter[str]:
    """Count the commands that the server runs for some work, by name: a measure that no noise disturbs."""
    await store.lines.ask("CONFIG", "RESETSTAT")
    await work
    stats = (await store.lines.ask("INFO", "commandstats")).decode()
    lines = [line.removeprefix("cmdstat_") for line in stats.splitlines() if line.startswith("cmdstat_")]
    return Counter({line.split(":")[0]: int(line.split("calls=")[1].split(",")[0]) for line in lines})


async def changes(store) -> int:
    """Count the writes that the server has done."""
    facts = (await store.lines.ask("INFO", "persistence")).decode()
    return int(facts.split("rdb_changes_since_last_save:")[1].split()[0])


async def claim_ids(backend, limit: int = 10, **wanted) -> list[str]:
    return [job.id for job in await backend.claim_pending_jobs(limit, **wanted)]


async def test_a_claim_of_plain_jobs_asks_nothing_about_governed_ones(backend, store):
    await backend.store_jobs(jobs_of("plain", 2))
    await backend.claim_pending_jobs(1)
    commands = await commands_of(store, backend.claim_pending_jobs(1))
    assert not {"exists", "hget", "hgetall", "smembers", "scard"} & set(commands)


async def test_a_hundred_thousand_jobs_held_back_by_a_source_cost_a_claim_nothing(backend, store):
    await backend.sources.declare(SourceRule(name="ebay", enabled=False), **ACT)
    await backend.store_jobs(jobs_of("bound", 1, source="ebay", priority=5))
    await backend.store_jobs(jobs_of("plain", 4))
    assert await claim_ids(backend, 1) == ["plain-0"]
    alone = (await commands_of(store, claim_ids(backend, 1))).total()
    await backend.copy_jobs(jobs_of("many", 100_000, source="ebay", priority=5))
    assert (await commands_of(store, claim_ids(backend, 1))).total() <= alone
    before = await changes(store)
    assert await claim_ids(backend, 1) == ["plain-3"]
    after = await changes(store)
    assert after - before < 20, "nothing is written for those who wait"


async def test_a_refusal_is_written_once_and_then_nothing(backend, store):
    await backend.sources.declare(SourceRule(name="ebay", enabled=False), **ACT)
    await backend.store_jobs(jobs_of("bound", 1000, source="ebay"))
    before = await changes(store)
    assert await claim_ids(backend) == []
    refused = await changes(store)
    assert 0 < refused - before < 10
    assert await claim_ids(backend) == []
    assert await changes(store) == refused


async def test_thousands_of_open_lanes_do_not_slow_a_claim_down(backend, store):
    await backend.copy_jobs([dibs.Job(id=f"{n}", job_type="test", concurrency_key=f"k{n}") for n in range(10)])
    assert await claim_ids(backend, 1) == ["0"]
    few = (await commands_of(store, claim_ids(backend, 1))).total()
    await backend.copy_jobs([dibs.Job(id=f"{n}", job_type="test", concurrency_key=f"k{n}") for n in range(10, 5000)])
    assert (await commands_of(store, claim_ids(backend, 1))).total() <= few + 2


async def test_one_of_thousands_of_lanes_behind_a_source_is_found_when_it_has_a_permit(backend, store):
    await backend.sources.declare(SourceRule(name="ebay", rate_limit_per_minute=1), **ACT)
    jobs = [dibs.Job(id=f"{n}", job_type="test", source="ebay", concurrency_key=f"k{n}") for n in range(3000)]
    await backend.copy_jobs(jobs)
    [first] = await backend.claim_pending_jobs(10)
    assert (await backend.sources.take_permit("ebay", first.lease)).granted
    for number in range(1, 4):
        await store.advance(MINUTE)
        commands = await commands_of(store, backend.claim_pending_jobs(1))
        assert commands.total() < 500, "most lanes stay behind the source"
        job = await backend.get_job(str(number))
        assert (await backend.sources.take_permit("ebay", job.lease)).granted


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (TenantRule(name="acme", max_running=1), ["acme-0", "zeta-0", "zeta-1"]),
        (Gate(scope=GateScope.TENANT, name="acme", mode=GateMode.DRAIN), ["zeta-0", "zeta-1"]),
    ],
    ids=["cap", "gate"],
)
async def test_jobs_that_a_rule_found_in_plain_lines_obey_it(backend, store, rule, expected):
    await backend.store_jobs(jobs_of("acme", 3, tenant="acme") + jobs_of("zeta", 2, tenant="zeta"))
    # As if whoever set the rule had died before the jobs were moved.
    relane, backend.admission._admission._relane = backend.admission._admission._relane, nothing
    await backend.admission.set_rule(rule, **ACT)
    assert sorted(await claim_ids(backend)) == expected
    backend.admission._admission._relane = relane


async def nothing(_rule: object) -> None:
    """Do nothing."""


async def test_thousands_of_jobs_stored_before_the_queue_became_fair_take_turns(backend):
    await backend.copy_jobs(jobs_of("whale", 2500, tenant="whale"))
    await backend.copy_jobs(jobs_of("minnow", 2, tenant="minnow"))
    await backend.admission.set_rule(QueueRule(name="default", fair=True), **ACT)
    assert await claim_ids(backend, 4) == ["minnow-0", "whale-0", "minnow-1", "whale-1"]
    await backend.admission.set_rule(QueueRule(name="default"), **ACT)
    assert await claim_ids(backend, 2) == ["whale-2", "whale-3"]


async def test_who_runs_already_counts_when_the_rule_comes(backend):
    await backend.store_jobs(jobs_of("acme", 4, tenant="acme", max_cost_microcents=3))
    first, _ = await backend.claim_pending_jobs(2)
    rule = TenantRule(name="acme", max_running=2, daily_budget_microcents=2**53 - 1)
    await backend.admission.set_rule(rule, **ACT)
    assert await claim_ids(backend) == []
    standing = await backend.admission.find_standing("acme-3")
    assert (standing.tenant_running, standing.reserved_microcents) == (2, 6)
    await backend.complete_job(first.lease)
    assert await claim_ids(backend) == ["acme-2"]


async def test_large_sums_of_money_are_exact(backend):
    most = 2**53 - 1
    rule = TenantRule(name="acme", daily_budget_microcents=most)
    await backend.admission.set_rule(rule, **ACT)
    await backend.store_jobs(jobs_of("acme", 3, tenant="acme", max_cost_microcents=most))
    [job] = await backend.claim_pending_jobs(5)
    await backend.store_jobs(jobs_of("small", 1, tenant="acme", max_cost_microcents=1, queue="other"))
    assert await claim_ids(backend) == []
    completion = backend.completion(job.lease)
    await backend.complete_jobs([msgspec.structs.replace(completion, cost_microcents=most - 1)])
    assert await claim_ids(backend) == ["small-0"]
    standing = await backend.admission.find_standing("acme-1")
    assert (standing.spent_today_microcents, standing.reserved_microcents) == (most - 1, 1)


async def store_as_version_1(store, job_ids: list[str]) -> None:
    args = [-1, "", 0, "keep"]
    for job_id in job_ids:
        args.append(pack((job_id, "default\x1ftest", "default", 0, False, False)))
        args.append(pack(("default", "default", "test", 3, None, "host", "ebay", None)))
        args.append("{}")
    assert (await OldCode(store.lines)._run("store", args))[0] == b"stored"


async def test_jobs_that_older_code_has_stored_obey_their_key_and_source(backend, store):
    await store_as_version_1(store, ["old-0", "old-1"])
    await backend.store_jobs(jobs_of("plain", 1))
    assert sorted(await claim_ids(backend) + await claim_ids(backend)) == ["old-0", "plain-0"]
    old = await backend.get_job("old-0")
    await backend.complete_job(old.lease)
    assert await claim_ids(backend) == ["old-1"]


async def test_a_job_that_older_code_took_back_gives_its_key_free(backend, store):
    await backend.store_jobs(jobs_of("job", 1, concurrency_key="host"))
    [job] = await backend.claim_pending_jobs(1)
    await OldCode(store.lines).heartbeat([(job.id, job.lease_token)], micros=1)
    assert await OldCode(store.lines).reap(10) == ["job-0"]
    assert await claim_ids(backend) == ["job-0"]


async def test_the_doctor_finds_what_older_code_has_left_and_a_rule_set_anew_mends_it(backend, store):
    await backend.store_jobs(jobs_of("job", 2, concurrency_key="host"))
    await backend.claim_pending_jobs(1)
    limits = {finding.topic: finding for finding in await backend.examiner.examine()}["limits"]
    assert limits.severity.value == "ok"
    assert await OldCode(store.lines).cancel(["job-0"]) == [b"cancelled"]
    limits = {finding.topic: finding for finding in await backend.examiner.examine()}["limits"]
    assert (limits.severity.value, "1 counted that do not run" in limits.message) == ("problem", True)
    assert await claim_ids(backend) == []
    await backend.admission.set_rule(KeyRule(name="host"), **ACT)
    assert await claim_ids(backend) == ["job-1"]
    limits = {finding.topic: finding for finding in await backend.examiner.examine()}["limits"]
    assert limits.severity.value == "ok"


async def test_nothing_is_left_of_governed_jobs_when_all_have_ended(backend, store):
    rule = TenantRule(name="default", max_running=3, daily_budget_microcents=100)
    await backend.admission.set_rule(rule, **ACT)
    await backend.store_jobs(jobs_of("job", 20, concurrency_key="host", source="ebay", max_cost_microcents=5))
    while jobs := await backend.claim_pending_jobs(5):
        await backend.complete_jobs([backend.completion(job.lease) for job in jobs])
    await backend.admission.set_rule(TenantRule(name="default"), **ACT)
    tag = store.lines.address.tag
    for name in ("counted", "shelf_of", "shut", "freed", "probes", "rules", "reserved", "holders:key:default\x1fhost"):
        assert await store.lines.ask("EXISTS", f"{tag}:{name}") == 0, name


async def test_a_part_of_an_entry_of_the_log_can_be_forgotten(backend):
    await backend.store_jobs(jobs_of("job", 5))
    jobs = await backend.claim_pending_jobs(5)
    await backend.complete_jobs([backend.completion(job.lease) for job in jobs])
    tail = await backend.audit.list_unsealed(10)
    seals = chain(tail, [])[0]
    assert await backend.audit.seal(seals[:3])
    assert await backend.audit.count_unsealed() == 2
    assert await backend.audit.forget_sealed("default", 2) == 2
    left = (await backend.reader.list_audit(AuditFilter(), PageRequest())).items
    assert [entry.sequence for entry in left] == [5, 4, 3]
    assert [sealed.entry is None for sealed in await backend.audit.list_sealed("default", 0, 10)] == [True, False]
    assert await backend.audit.seal(seals[3:])
    assert await backend.audit.forget_sealed("default", 5) == 3
    assert (await backend.reader.list_audit(AuditFilter(), PageRequest())).items == []
    assert (await backend.audit.list_heads())[0].position == 5


async def test_a_wake_is_told_without_a_look_at_all_who_wait(backend, store):
    await backend.sources.declare(SourceRule(name="ebay", enabled=False), **ACT)
    await backend.copy_jobs([dibs.Job(id=f"{n}", job_type="test", source="ebay", tenant=f"t{n}") for n in range(3000)])
    request = ClaimRequest(worker="w")
    commands = await commands_of(store, backend.admission.find_wake(request))
    assert commands.total() < 20_000
    assert await backend.admission.find_wake(request) is None


async def test_no_limit_is_broken_by_claimers_in_several_processes(backend, store):
    await backend.admission.set_rule(TenantRule(name="acme", max_running=3), **ACT)
    await backend.admission.set_rule(KeyRule(name="host:", max_running=2), **ACT)
    jobs = [
        dibs.Job(id=f"{n}", job_type="test", tenant="acme" if n % 2 else "zeta", concurrency_key=f"host:{n % 3}")
        for n in range(300)
    ]
    await backend.copy_jobs(jobs)
    command = [sys.executable, "-m", "tests.backends.redis.governed_claimer", store.url]
    pipe = asyncio.subprocess.PIPE
    processes = [await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe) for _ in range(3)]
    outputs = [out for out, _ in await asyncio.gather(*(process.communicate(b"go\n") for process in processes))]
    assert [process.returncode for process in processes] == [0] * 3
    done = [line for output in outputs for line in output.decode().split()]
    assert sorted(done, key=int) == [job.id for job in jobs]
    assert_never_too_many(await read_spans(backend, jobs))


async def read_spans(backend, jobs) -> list[tuple[dibs.Job, int, int]]:
    """Read from the history of each job when it ran: tokens and instants of the store are in one order."""
    spans = []
    for job in jobs:
        [attempt] = await backend.reader.list_attempts(job.id)
        spans.append((job, attempt.started_at, attempt.ended_at))
    return spans


def assert_never_too_many(spans) -> None:
    for job, began, _ in spans:
        # An end and a beginning at one instant may be in either order: only what went on beyond it was beside.
        beside = [other for other, start, end in spans if start <= began < end and other.tenant == job.tenant]
        assert len([other for other in beside if other.concurrency_key == job.concurrency_key]) <= 2
        assert job.tenant != "acme" or len(beside) <= 3
