"""What goes wrong with servers and connections, and what the caller is told."""

import asyncio
from datetime import timedelta

import pytest
from redis.exceptions import ResponseError

import dibs
from dibs.backends.redis.wire.address import parse_address
from dibs.backends.redis.wire.faults import refusal
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput, OutcomeUnknown, StoreAccessDenied, StoreError, StoreUnavailable
from dibs.testing.servers import ValkeyServer
from dibs.testing.stores.redis import RedisStore
from tests.backends.redis.wire.proxy import CuttingProxy

BATCH = 50


def new_jobs(count: int, **fields):
    return [dibs.Job(id=f"job-{number}", job_type="test", **fields) for number in range(count)]


async def test_a_write_whose_answer_is_lost_has_an_unknown_outcome():
    with ValkeyServer() as server:
        async with CuttingProxy(server.port) as proxy, await dibs.open_backend(proxy.url) as backend:
            # The server must know the script: an answer that asks for it is no lost write.
            await backend.store_job(dibs.Job(job_type="first"))
            proxy.cut_answers = True
            with pytest.raises(OutcomeUnknown, match="may or may not"):
                await backend.store_job(dibs.Job(id="cut", job_type="test"))
            proxy.cut_answers = False
            assert (await backend.get_job("cut")).state == "pending"


async def test_a_write_that_was_sent_is_never_sent_again():
    with ValkeyServer() as server:
        async with CuttingProxy(server.port) as proxy, await dibs.open_backend(proxy.url) as backend:
            assert await backend.claim_pending_job() is None
            await backend.store_jobs(new_jobs(3))
            proxy.cut_answers = True
            with pytest.raises(OutcomeUnknown):
                await backend.claim_pending_job()
            proxy.cut_answers = False
            counts = await backend.reader.count_jobs(JobFilter())
            assert (counts[State.RUNNING], counts[State.PENDING]) == (1, 2)


async def test_a_read_whose_connection_breaks_is_just_unavailable():
    with ValkeyServer() as server:
        async with CuttingProxy(server.port) as proxy, await dibs.open_backend(proxy.url) as backend:
            proxy.cut_questions = True
            with pytest.raises(StoreUnavailable) as raised:
                await backend.find_job("any")
            assert not isinstance(raised.value, OutcomeUnknown)


async def test_a_server_that_never_answers_is_given_up():
    with ValkeyServer() as server:
        async with await dibs.open_backend(f"{server.url}?timeout=0.2") as backend:
            server.ask("CLIENT", "PAUSE", "2000", "ALL")
            with pytest.raises(OutcomeUnknown):
                await backend.store_job(dibs.Job(job_type="test"))


async def test_a_cancelled_call_leaves_no_answer_for_the_next_one(backend):
    await backend.store_jobs(new_jobs(5))
    for _ in range(50):
        task = asyncio.create_task(backend.reader.count_jobs(JobFilter()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert [job.id for job in await backend.reader.find_jobs(["job-1"]) if job] == ["job-1"]


async def test_the_same_handle_works_when_the_server_was_down_and_is_back():
    with ValkeyServer(persistence="always") as server:
        async with await dibs.open_backend(server.url) as backend:
            await backend.store_jobs(new_jobs(3))
            server.kill()
            with pytest.raises(StoreUnavailable, match="Check that it runs") as raised:
                await backend.claim_pending_job()
            assert not isinstance(raised.value, OutcomeUnknown)
            server.start()
            assert len(await backend.claim_pending_jobs(10)) == 3


async def test_notices_come_again_after_the_server_was_away():
    with ValkeyServer(persistence="always") as server:
        async with await dibs.open_backend(server.url) as backend, backend.notices.subscribe() as subscription:
            server.kill()
            server.start()
            # What came meanwhile may be lost, so reconnecting is itself news.
            assert await subscription.wait(timedelta(seconds=10))
            await backend.store_job(dibs.Job(job_type="test"))
            assert await subscription.wait(timedelta(seconds=10))


async def test_a_server_that_forgot_the_scripts_is_given_them_again(backend, store):
    await backend.store_jobs(new_jobs(2))
    await store.lines.ask("SCRIPT", "FLUSH")
    assert len(await backend.claim_pending_jobs(5)) == 2


WRONG = "refused the user name or password"


@pytest.mark.parametrize(("login", "told"), [("", "wants a password"), (":wrong@", WRONG), ("nobody:wrong@", WRONG)])
async def test_wrong_credentials_are_refused_without_showing_them(login, told):
    with ValkeyServer() as server:
        server.ask("CONFIG", "SET", "requirepass", "s3cret")
        url = f"redis://{login}127.0.0.1:{server.port}/0"
        with pytest.raises(StoreAccessDenied, match=told) as raised:
            await dibs.open_backend(url)
        assert "wrong" not in str(raised.value)
        assert "s3cret" not in str(raised.value)


async def test_a_server_that_is_not_there_is_named():
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:1\b"):
        await dibs.open_backend("redis://:s3cret@127.0.0.1:1/0")


async def test_a_host_that_does_not_exist_is_named():
    with pytest.raises(StoreUnavailable, match=r"no-such-host\.invalid"):
        await dibs.open_backend("redis://no-such-host.invalid/0")


@pytest.mark.parametrize("kind", ["redis+sentinel", "redis+cluster"])
def test_servers_may_be_named_by_addresses_of_ipv6(kind):
    path = "main/0" if kind == "redis+sentinel" else ""
    assert parse_address(f"{kind}://a:1,[::1]:2,[2001:db8::1]:3/{path}").hosts == [
        ("a", 1),
        ("::1", 2),
        ("2001:db8::1", 3),
    ]


@pytest.mark.parametrize(
    "url",
    [
        "redis://:s3cret@localhost:notaport/0",
        "redis://localhost/0?namespace=",
        "redis://localhost/0?namespace=a{b}",
        "redis://localhost/0?timeout=soon",
        "redis://localhost/0?max_connections=0",
        "redis://localhost/jobs",
        "redis+sentinel://localhost",
        "redis+cluster://localhost/3",
        "redis+cluster://",
    ],
)
async def test_a_url_that_cannot_be_read_is_refused_with_examples(url):
    with pytest.raises(BadInput, match="redis://host:6379/0") as raised:
        await dibs.open_backend(url)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("option", ["sockets", "ssl_ca_certs", "socket_timeout"])
async def test_an_option_that_nobody_takes_is_refused_by_its_name(redis_url, option):
    with pytest.raises(BadInput, match=rf"the option '{option}' of the Redis URL .* namespace"):
        await dibs.open_backend(f"{redis_url}?{option}=1")


async def test_a_database_that_the_server_lacks_is_told(redis_url):
    with pytest.raises(StoreUnavailable, match="no database of this number"):
        await dibs.open_backend(f"{redis_url.rpartition('/')[0]}/9999")


async def test_a_replica_is_not_written_to():
    with (
        ValkeyServer() as primary,
        ValkeyServer(settings={"replicaof": f"127.0.0.1 {primary.port}"}) as replica,
        pytest.raises(StoreUnavailable, match="replica"),
    ):
        await dibs.open_backend(replica.url)


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl", "allkeys-random"])
async def test_a_server_that_throws_keys_away_is_refused(policy):
    settings = {"maxmemory": "100mb", "maxmemory-policy": policy}
    with ValkeyServer(settings=settings) as server, pytest.raises(StoreError, match="maxmemory-policy noeviction"):
        await dibs.open_backend(server.url)


async def test_a_server_without_a_memory_limit_may_have_any_policy():
    with ValkeyServer(settings={"maxmemory-policy": "allkeys-lru"}) as server:
        async with await dibs.open_backend(server.url) as backend:
            assert await backend.claim_pending_job() is None


async def fill_up(backend):
    for number in range(100):
        await backend.store_jobs(
            [dibs.Job(id=f"{number}-{n}", job_type="test", input="x" * 8000) for n in range(BATCH)]
        )


async def test_a_full_memory_stores_all_of_a_batch_or_none():
    with ValkeyServer(settings={"maxmemory": "8mb", "maxmemory-policy": "noeviction"}) as server:
        async with await dibs.open_backend(server.url) as backend:
            with pytest.raises(StoreUnavailable, match="out of memory") as raised:
                await fill_up(backend)
            assert not isinstance(raised.value, OutcomeUnknown)
            # The last batch left no trace: not in the counts, not among the jobs, not in the order.
            counts = await backend.reader.count_jobs(JobFilter())
            page = await backend.reader.list_jobs(JobFilter(), PageRequest(limit=1000))
            assert counts[State.PENDING] == len(page.items)
            assert counts[State.PENDING] % BATCH == 0
            # What is there can still be worked off, which is the way out.
            claimed = await backend.claim_pending_jobs(50)
            assert all(await backend.complete_jobs([backend.completion(job.lease) for job in claimed]))


async def test_a_user_who_may_not_publish_still_stores_and_claims():
    with ValkeyServer() as server:
        server.ask("ACL", "SETUSER", "mute", "on", ">secret", "~*", "resetchannels", "+@all")
        async with await dibs.open_backend(f"redis://mute:secret@127.0.0.1:{server.port}/0") as backend:
            await backend.store_jobs(new_jobs(2))
            assert len(await backend.claim_pending_jobs(5)) == 2


async def test_a_user_who_may_only_read_is_told_that_a_right_is_missing():
    with ValkeyServer() as server:
        async with await dibs.open_backend(server.url) as backend:
            await backend.store_jobs(new_jobs(1))
        server.ask(
            "ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@read", "+@scripting", "+info", "+time", "+@connection"
        )
        async with await dibs.open_backend(f"redis://reader:secret@127.0.0.1:{server.port}/0") as backend:
            assert await backend.find_job("job-0") is not None
            with pytest.raises(StoreAccessDenied, match="right"):
                await backend.store_job(dibs.Job(id="more", job_type="test"))


async def test_two_namespaces_on_one_server_do_not_see_each_other(redis_url):
    one, other = RedisStore(redis_url), RedisStore(redis_url)
    async with await one.open() as first, await other.open() as second:
        await first.store_job(dibs.Job(id="same", job_type="test", input=1))
        await second.store_job(dibs.Job(id="same", job_type="test", input=2))
        claimed = await first.claim_pending_jobs(5)
        assert [job.input for job in claimed] == [1]
        assert (await second.get_job("same")).state == "pending"
    await one.close()
    await other.close()


@pytest.mark.parametrize(
    ("answer", "kind", "advice"),
    [
        ("MISCONF Errors writing to the AOF file: No space left on device", StoreUnavailable, "disk"),
        ("CLUSTERDOWN The cluster is down", StoreUnavailable, "CLUSTER INFO"),
        ("LOADING Valkey is loading the dataset in memory", StoreUnavailable, "Try again"),
        ("NOREPLICAS Not enough good replicas to write.", StoreUnavailable, "min-replicas"),
        ("BUSY Valkey is busy running a script.", StoreUnavailable, "Try again"),
        ("NOPERM User x has no permissions", StoreAccessDenied, "right"),
        ("WRONGTYPE Operation against a key", StoreError, "WRONGTYPE"),
    ],
)
def test_what_a_server_answers_is_said_in_our_words(answer, kind, advice):
    error = refusal(ResponseError(answer), "host:6379")
    assert type(error) is kind
    assert advice in str(error)
    assert "host:6379" in str(error)
