"""Long lists of writes: cut into pieces, so that nobody waits long, and told exactly."""

import pytest

import dibs
from dibs.backends.redis.moves.jobs import RedisJobs
from dibs.backends.redis.wire import connections
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Lease
from dibs.engine.states import State
from dibs.engine.store.moves import ClaimRequest, Completion, Deferral, Drop, Failure, Progress, PruneRequest
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.errors import OutcomeUnknown, StoreUnavailable
from dibs.kit.codec import NULL
from dibs.settings import Settings

LEASE = Settings().lease
ERROR = ErrorInfo(type="ValueError")
LARGEST_COST = 2**53 - 1


def jobs_of(count: int, **fields) -> list[dibs.Job]:
    return [dibs.Job(id=f"job-{number}", job_type="test", **fields) for number in range(count)]


async def claim(backend, count: int) -> list[Lease]:
    await backend.copy_jobs(jobs_of(count))
    return [job.lease for job in await backend.claim_pending_jobs(count)]


@pytest.fixture
def sizes(monkeypatch) -> list[int]:
    """The number of answers of each script, with pieces of ten."""
    monkeypatch.setattr(connections, "PIECE", 10)
    seen: list[int] = []
    run = Lines.run

    async def counted(self, name, args=(), *, is_write=True):
        answer = await run(self, name, args, is_write=is_write)
        if name.startswith("moves/") and isinstance(answer, list):
            seen.append(len(answer))
        return answer

    monkeypatch.setattr(Lines, "run", counted)
    return seen


MOVES = {
    "complete": lambda jobs, leases: jobs.complete([Completion(lease=lease) for lease in leases]),
    "fail": lambda jobs, leases: jobs.fail([Failure(lease=lease, error=ERROR) for lease in leases]),
    "snooze": lambda jobs, leases: jobs.snooze([Deferral(lease=lease) for lease in leases]),
    "drop": lambda jobs, leases: jobs.drop([Drop(lease=lease) for lease in leases]),
    "heartbeat": lambda jobs, leases: jobs.heartbeat(leases, LEASE),
    "progress": lambda jobs, leases: jobs.report_progress([Progress(lease=lease, value=NULL) for lease in leases]),
}


@pytest.mark.parametrize("move", MOVES)
async def test_a_holders_writes_go_in_pieces_and_are_answered_in_order(backend, sizes, move):
    leases = await claim(backend, 25)
    leases[13] = Lease(leases[13].job_id, 10**9)
    sizes.clear()
    answers = await MOVES[move](backend.jobs, leases)
    assert sizes == [10, 10, 5]
    assert [bool(answer) for answer in answers] == [number != 13 for number in range(25)]


def test_a_piece_is_a_thousand():
    assert connections.PIECE == 1000


async def test_when_a_later_piece_is_refused_the_caller_learns_that_some_were_written(backend, sizes, monkeypatch):
    leases = await claim(backend, 25)
    run = Lines.run

    async def refuse_the_third(self, name, args=(), *, is_write=True):
        if len(sizes) == 2:
            message = "no memory"
            raise StoreUnavailable(message)
        return await run(self, name, args, is_write=is_write)

    sizes.clear()
    monkeypatch.setattr(Lines, "run", refuse_the_third)
    with pytest.raises(OutcomeUnknown, match="only the first 20 of 25"):
        await MOVES["complete"](backend.jobs, leases)
    monkeypatch.setattr(Lines, "run", run)
    states = [job.state for job in await backend.reader.find_jobs([lease.job_id for lease in leases]) if job]
    assert states == [State.SUCCEEDED] * 20 + [State.RUNNING] * 5


async def test_costs_add_up_to_the_last_digit(backend):
    await backend.store_jobs(jobs_of(1))
    for _ in range(2):
        lease = (await backend.claim_pending_jobs(1))[0].lease
        kind = FailureKind.TRANSIENT
        await backend.jobs.fail([Failure(lease=lease, error=ERROR, kind=kind, cost_microcents=LARGEST_COST)])
    lease = (await backend.claim_pending_jobs(1))[0].lease
    await backend.jobs.snooze([Deferral(lease=lease, cost_microcents=2)])
    lease = (await backend.claim_pending_jobs(1))[0].lease
    await backend.jobs.complete([Completion(lease=lease, cost_microcents=1)])
    # An odd number of this size has no place among the numbers of Lua.
    assert (await backend.get_job("job-0")).cost_microcents == 2 * LARGEST_COST + 3


async def test_a_dropped_jobs_cost_is_exact(backend):
    (lease,) = await claim(backend, 1)
    await backend.jobs.drop([Drop(lease=lease, cost_microcents=LARGEST_COST)])
    assert (await backend.get_job("job-0")).cost_microcents == LARGEST_COST


async def test_an_empty_tenant_is_not_any_tenant(backend):
    await backend.store_jobs(jobs_of(2))
    assert await backend.jobs.claim(ClaimRequest(worker="w", limit=5, tenant="")) == []
    leases = [job.lease for job in await backend.claim_pending_jobs(2)]
    await backend.jobs.complete([Completion(lease=lease) for lease in leases])
    assert await backend.jobs.prune(PruneRequest(older_than=LEASE * 0, tenant="")) == 0


@pytest.mark.parametrize("limit", [1, 7, 99, 100, 101, 1000])
async def test_successes_that_were_written_together_are_read_one_by_one(backend, limit):
    await backend.store_jobs(
        [dibs.Job(id=f"job-{n}", job_type="test", tenant=f"tenant-{n // 120}") for n in range(250)]
    )
    leases = [job.lease for job in await backend.claim_pending_jobs(250)]
    await backend.jobs.complete([Completion(lease=lease) for lease in leases])
    entries, cursor = [], None
    while True:
        page = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=limit, cursor=cursor))
        entries += page.items
        if page.next_cursor is None:
            break
        assert len(page.items) == limit
        assert cursor is None or page.next_cursor < cursor
        cursor = page.next_cursor
    told = [(entry.sequence, entry.subject, entry.token, entry.tenant) for entry in reversed(entries)]
    assert told == [
        (number + 1, f"job:{lease.job_id}", lease.token, f"tenant-{number // 120}")
        for number, lease in enumerate(leases)
    ]
    one = await backend.reader.list_audit(AuditFilter(subject="job:job-77"), PageRequest(limit=limit))
    assert [entry.token for entry in one.items] == [leases[77].token]


async def test_completing_asks_the_server_once_for_each_job_that_the_handle_claimed_and_little_else(backend, store):
    """The commands of a script are what it costs; one for each job more would be a fifth of the speed."""
    leases = await claim(backend, 200)
    await store.lines.ask("CONFIG", "RESETSTAT")
    assert all(await backend.jobs.complete([Completion(lease=lease) for lease in leases]))
    assert await count_calls(store) < 200 + 30


async def test_completing_asks_the_server_twice_for_each_job_that_another_handle_claimed(backend, store):
    leases = await claim(backend, 200)
    completions = [Completion(lease=lease) for lease in leases]
    await backend.jobs.complete(completions[:100])
    await store.lines.ask("CONFIG", "RESETSTAT")
    assert all(await RedisJobs(store.lines).complete(completions[100:]))
    assert await count_calls(store) < 2 * 100 + 20


async def count_calls(store) -> int:
    """Count the commands since the last RESETSTAT, those of scripts among them."""
    stats = (await store.lines.ask("INFO", "commandstats")).decode()
    return sum(int(line.split("calls=")[1].split(",")[0]) for line in stats.splitlines() if line.startswith("cmdstat_"))


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_is_completed_is_told_alike_whether_the_handle_claimed_it_or_not(backend, store, is_known):
    many = [dibs.Job(id=f"job-{n}", job_type="test", tenant=f"tenant-{n % 3}", priority=n % 2) for n in range(30)]
    await backend.store_jobs(many)
    claimed = await backend.claim_pending_jobs(30)
    assert [job.priority for job in claimed] == [1] * 15 + [0] * 15
    jobs = backend.jobs if is_known else RedisJobs(store.lines)
    assert all(await jobs.complete([Completion(lease=job.lease) for job in claimed]))
    audit = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))).items
    told = {(entry.subject, entry.token, entry.tenant, entry.actor) for entry in audit}
    assert told == {(f"job:{job.id}", job.lease_token, job.tenant, "worker-1") for job in claimed}
    listed = (await backend.reader.list_jobs(dibs.JobFilter(), PageRequest(limit=100))).items
    assert [job.id for job in listed] == [f"job-{n}" for n in reversed(range(30))]
    assert {job.state for job in listed} == {State.SUCCEEDED}
    assert await backend.jobs.prune(PruneRequest(older_than=LEASE * 0)) == 30


@pytest.mark.parametrize("taken", [[0], [39], [17], [3, 4, 5], list(range(0, 40, 2))])
async def test_in_a_batch_only_those_end_that_are_still_held(backend, taken):
    leases = await claim(backend, 40)
    await RedisJobs(backend.jobs._lines).complete([Completion(lease=leases[index]) for index in taken])
    answers = await backend.jobs.complete([Completion(lease=lease) for lease in leases])
    assert answers == [index not in taken for index in range(40)]
    audit = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))).items
    assert sorted(entry.token for entry in audit) == [lease.token for lease in leases]


async def test_jobs_between_others_end_without_them(backend):
    leases = await claim(backend, 60)
    mine = [*leases[10:30], *reversed(leases[40:50])]
    assert all(await backend.jobs.complete([Completion(lease=lease) for lease in mine]))
    counts = await backend.reader.count_jobs(dibs.JobFilter())
    assert counts[State.SUCCEEDED] == 30
    rest = [lease for lease in leases if lease not in mine]
    assert all(await backend.jobs.heartbeat(rest, LEASE))


async def test_sealing_asks_the_server_a_few_times_however_many_entries(backend, store):
    await backend.jobs.complete([Completion(lease=lease) for lease in await claim(backend, 500)])
    await store.lines.ask("CONFIG", "RESETSTAT")
    entries = await backend.audit.list_unsealed(300)
    [seals] = chain(entries, [])
    assert await backend.audit.seal(seals)
    assert await count_calls(store) < 30
    assert await backend.audit.count_unsealed(None) == 200


async def test_what_is_sealed_behind_a_gap_is_known_until_the_gap_is_closed(backend):
    tenants = ["one", "two", "one", "two"]
    await backend.store_jobs(
        [dibs.Job(id=f"job-{n}", job_type="test", tenant=tenant) for n, tenant in enumerate(tenants)]
    )
    for job in await backend.claim_pending_jobs(4):
        await backend.jobs.complete([Completion(lease=job.lease)])
    first, second = chain(await backend.audit.list_unsealed(10), [])
    assert await backend.audit.seal(second)
    assert [entry.tenant for entry in await backend.audit.list_unsealed(10)] == ["one", "one"]
    assert not await backend.audit.seal(second)
    assert await backend.audit.seal(first[:1])
    assert [entry.sequence for entry in await backend.audit.list_unsealed(10)] == [3]
    assert await backend.audit.seal(first[1:])
    assert await backend.audit.list_unsealed(10) == []
    assert await backend.audit.count_unsealed(None) == 0


async def test_who_looks_for_what_is_rare_in_the_audit_log_asks_seldom(backend, monkeypatch):
    common = [NewEntry(action="SEEN", subject=f"page:{number}", actor="w") for number in range(2_500)]
    rare = NewEntry(action="BOUGHT", subject="book", actor="ada")
    await backend.audit.append([rare, *common[:1_200]])
    await backend.audit.append([rare, *common[1_200:]])
    asked, run = [], Lines.run

    async def counted(self, name, args=(), *, is_write=True):
        asked.append(name)
        return await run(self, name, args, is_write=is_write)

    monkeypatch.setattr(Lines, "run", counted)
    wanted = AuditFilter(without="SEEN")
    page = await backend.reader.list_audit(wanted, PageRequest(reach=20_000))
    assert [entry.action for entry in page.items] == ["BOUGHT", "BOUGHT"]
    assert asked.count("reading/list_audit") <= 4
    near = await backend.reader.list_audit(wanted, PageRequest(reach=1_000))
    assert (near.items, near.next_cursor) == ([], page.items[0].sequence + 301)
