"""`dibs.Client` and `dibs.AsyncClient` against a real server."""

import asyncio
from datetime import UTC, datetime, timedelta

import httpx
import pytest

import dibs
from tests.server.conftest import serving
from tests.server.keys import ACME


def use(url: str) -> list[dibs.State]:
    with dibs.Client(url, ACME) as client:
        job = client.enqueue("PING", {"text": "hi"}, priority=5, delay=timedelta(0))
        assert job is not None
        assert (job.tenant, job.priority) == ("acme", 5)
        done = client.wait_for(job.id, timeout=60)
        assert (done.state, done.output) == (dibs.State.SUCCEEDED, {"pong": "hi"})
        assert [one.id for one in client.list_jobs(job_type="PING", state="succeeded").jobs] == [job.id]
        many = client.enqueue_many("PING", [{"text": "a"}, {"text": "b"}], queue="later", run_at=LATER)
        later = [one for one in many if one is not None]
        assert [one.state for one in later] == ["pending", "pending"]
        assert client.cancel_job(later[0].id, reason="no").state is dibs.State.CANCELLED
        assert client.retry_job(later[0].id, reason="yes").state is dibs.State.PENDING
        with pytest.raises(TimeoutError, match="not finished"):
            client.wait_for(later[1].id, timeout=0.1)
        with pytest.raises(dibs.ApiError, match="no job has the id") as failed:
            client.get_job("no such?job")
        assert (failed.value.status, failed.value.code) == (404, "job_not_found")
        return [client.get_job(one.id).state for one in (job, later[1])]


LATER = datetime(2099, 1, 1, tzinfo=UTC)


async def test_the_client_does_all_of_it_over_http(server, engine):
    async with serving(server, workers=[engine.make_worker()]) as (host, port):
        states = await asyncio.to_thread(use, f"http://{host}:{port}")
    assert states == ["succeeded", "pending"]


async def test_the_async_client_does_the_same(server, engine):
    async with (
        serving(server, workers=[engine.make_worker()]) as (host, port),
        dibs.AsyncClient(f"http://{host}:{port}", ACME) as client,
    ):
        job = await client.enqueue("PING")
        assert job is not None
        assert (await client.wait_for(job.id, timeout=60)).output == {"pong": "ping"}
        assert (await client.get_job(job.id)).finished_at is not None
        assert len(await client.enqueue_many("PING", [{}, {}])) == 2
        assert len((await client.list_jobs(limit=2)).jobs) == 2
        stored = await client.enqueue("PING", delay=3600, max_cost=2.5)
        assert stored is not None
        with pytest.raises(TimeoutError):
            await client.wait_for(stored.id, timeout=0)
        await client.cancel_job(stored.id, reason="no")
        await client.retry_job(stored.id, reason="yes")


def test_an_answer_that_was_lost_is_asked_for_again_under_the_same_key():
    keys = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            message = "cut"
            raise httpx.ReadError(message)
        return httpx.Response(200, json={"job": None})

    with dibs.Client("http://dibs.test", "k", transport=httpx.MockTransport(answer)) as client:
        assert client.enqueue("PING", unique_key="one") is None
    assert len(keys) == 2
    assert len(set(keys)) == 1


def lose_then_say(*answers: tuple[int, dict]) -> httpx.MockTransport:
    """A server whose first answer is lost, and that says these to whoever asks again; the last one for ever."""
    said = iter(range(len(answers) + 1))

    def answer(_: httpx.Request) -> httpx.Response:
        number = next(said, len(answers))
        if number == 0:
            message = "cut"
            raise httpx.ReadTimeout(message)
        status, body = answers[number - 1]
        return httpx.Response(status, json=body)

    return httpx.MockTransport(answer)


EARLY = (409, {"code": "idempotency_key_in_use", "detail": "still under way"})


async def test_whoever_asks_again_before_the_first_request_is_answered_waits_for_it():
    told = (EARLY, EARLY, EARLY, EARLY, (200, {"job": None}))
    with dibs.Client("http://dibs.test", "k", transport=lose_then_say(*told)) as client:
        assert client.enqueue("PING", unique_key="one") is None
    async with dibs.AsyncClient("http://dibs.test", "k", transport=lose_then_say(*told)) as eager:
        assert await eager.enqueue("PING", unique_key="one") is None


def test_nobody_waits_for_ever_for_a_request_that_is_under_way(monkeypatch):
    monkeypatch.setattr("dibs.outside.client.client.PAUSE", 0.001)
    with (
        dibs.Client("http://dibs.test", "k", transport=lose_then_say(EARLY)) as client,
        pytest.raises(dibs.ApiError, match="still under way"),
    ):
        client.enqueue("PING")


def test_a_server_that_is_not_there_is_named():
    with (
        dibs.Client("http://127.0.0.1:9", "k") as client,
        pytest.raises(dibs.StoreUnavailable, match=r"127\.0\.0\.1:9"),
    ):
        client.get_job("x")


def test_a_redirect_does_not_take_the_key_elsewhere():
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(302, headers={"Location": "http://evil.test/"})

    transport = httpx.MockTransport(answer)
    with (
        dibs.Client("http://dibs.test", "k", transport=transport) as client,
        pytest.raises(dibs.ApiError, match="Is this a Dibs server"),
    ):
        client.get_job("x")
    assert asked == ["dibs.test"]


def test_an_option_that_does_not_exist_is_refused():
    with dibs.Client("http://dibs.test", "k") as client, pytest.raises(dibs.BadInput, match="conection"):
        client.enqueue("PING", conection=1)
