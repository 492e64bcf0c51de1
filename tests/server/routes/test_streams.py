"""Server-sent events over real sockets."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from dibs.errors import RequestRefused, StoreUnavailable
from dibs.server.hub import Hub
from tests.server.conftest import connect, enqueue, serving
from tests.server.keys import ACME, OPERATOR

CROWD = 200


async def read_events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[str, dict]]:
    name = ""
    async for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def open_client(address, key: str) -> httpx.AsyncClient:
    host, port = address
    limits = httpx.Limits(max_connections=CROWD + 10)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=f"http://{host}:{port}/api/v1", headers=headers, timeout=30, limits=limits)


async def test_a_stream_of_one_job_ends_with_its_result(server, drain):
    async with serving(server) as address, open_client(address, ACME) as client:
        job = await enqueue(client)
        async with client.stream("GET", f"/jobs/{job['id']}/events") as stream:
            events = read_events(stream.aiter_lines())
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert (await anext(events))[1]["state"] == "pending"
            await drain()
            seen = [event async for event in events]
    assert seen[-1][0] == "result"
    assert seen[-1][1]["output"] == {"pong": "ping"}


async def test_a_tenant_hears_of_its_own_jobs_only_and_operators_of_all(server, acme, globex):
    async with serving(server) as address:
        heard: dict[str, list[str]] = {ACME: [], OPERATOR: []}
        ready = asyncio.Semaphore(0)

        async def listen(key: str, until: int) -> None:
            async with open_client(address, key) as client, client.stream("GET", "/events") as stream:
                ready.release()
                async for name, data in read_events(stream.aiter_lines()):
                    heard[key] += [data["tenant"]] if name == "job" else []
                    if len(heard[key]) == until:
                        return

        listening = [asyncio.create_task(listen(ACME, 1)), asyncio.create_task(listen(OPERATOR, 2))]
        for _ in listening:
            await ready.acquire()
        await wait_for_watchers(server.state.hub, 2)
        for client in (globex, acme):
            job = await enqueue(client)
            await client.post(f"/jobs/{job['id']}/cancel", json={"reason": "x"})
        async with asyncio.timeout(60):
            await asyncio.gather(*listening)
    assert heard[ACME] == ["acme"]
    assert sorted(heard[OPERATOR]) == ["acme", "globex"]


async def wait_for_watchers(hub: Hub, count: int) -> None:
    async with asyncio.timeout(60):
        while hub.watchers < count:
            await asyncio.sleep(0.01)


async def test_who_connects_again_is_told_what_they_missed(server, acme, globex):
    for client in (acme, globex, acme, acme):
        job = await enqueue(client)
        await client.post(f"/jobs/{job['id']}/cancel", json={"reason": "x"})
    entries = (await acme.get("/audit")).json()["entries"]
    first, *_ = numbers = sorted(entry["sequence"] for entry in entries)
    async with (
        serving(server) as address,
        open_client(address, ACME) as client,
        client.stream("GET", "/events", headers={"Last-Event-ID": str(first)}) as stream,
        asyncio.timeout(60),
    ):
        ids = (int(line.removeprefix("id: ")) async for line in stream.aiter_lines() if line.startswith("id: "))
        heard = [await anext(ids) for _ in numbers[1:]]
        job = await enqueue(acme)
        await acme.post(f"/jobs/{job['id']}/cancel", json={"reason": "x"})
        newest = await anext(ids)
    assert heard == numbers[1:]
    assert newest > numbers[-1]


async def test_operators_hear_how_queues_change(server, acme):
    async with (
        serving(server) as address,
        open_client(address, OPERATOR) as client,
        client.stream("GET", "/events") as stream,
        asyncio.timeout(60),
    ):
        await wait_for_watchers(server.state.hub, 1)
        await enqueue(acme, queue="mail")
        async for name, data in read_events(stream.aiter_lines()):
            if name == "queue" and data["queue"] == "mail":
                assert data["states"]["pending"] == 1
                break


async def test_two_hundred_streams_on_one_process_all_hear_the_end(server, engine, drain):
    async with serving(server) as address, open_client(address, ACME) as client:
        job = await enqueue(client)

        async def follow() -> str:
            async with client.stream("GET", f"/jobs/{job['id']}/events") as stream:
                return [name async for name, _ in read_events(stream.aiter_lines())][-1]

        following = [asyncio.create_task(follow()) for _ in range(CROWD)]
        await wait_for_watchers(server.state.hub, CROWD)
        answered = await asyncio.wait_for(client.get("/jobs"), 60)
        await drain()
        async with asyncio.timeout(60):
            assert set(await asyncio.gather(*following)) == {"result"}
        assert answered.status_code == 200
    assert server.state.hub.watchers == 0


async def test_a_server_that_leaves_ends_its_streams(server):
    async with serving(server) as address:
        client = open_client(address, OPERATOR)
        stream = await client.send(client.build_request("GET", "/events"), stream=True)
        await wait_for_watchers(server.state.hub, 1)
    async with asyncio.timeout(60):
        assert b"here" in await stream.aread()
    await client.aclose()


async def test_a_reader_that_left_is_forgotten(server):
    async with serving(server) as address:
        async with open_client(address, OPERATOR) as client:
            stream = await client.send(client.build_request("GET", "/events"), stream=True)
            await wait_for_watchers(server.state.hub, 1)
            await stream.aclose()
        async with asyncio.timeout(60):
            while server.state.hub.watchers:
                await asyncio.sleep(0.01)
        assert server.state.hub.watchers == 0


async def test_no_more_watch_than_a_server_can_bear(engine):
    hub = Hub(engine.backend, 1)
    async with hub.watch(lambda _: True):
        with pytest.raises(RequestRefused) as refused:
            async with hub.watch(lambda _: True):
                pass
    assert refused.value.code == "too_many_streams"


async def test_a_full_house_is_told_before_the_stream_begins(server):
    server.state.hub._most = 0
    async with connect(server, ACME) as client:
        job = await enqueue(client)
        for path in (f"/jobs/{job['id']}/events", "/events", f"/jobs/{job['id']}/result"):
            refused = await client.get(path)
            assert (refused.status_code, refused.headers.get("retry-after")) == (503, "5")


async def test_who_watches_hears_again_after_the_store_was_away(server, engine, acme, monkeypatch):
    reader = (await engine.backend()).reader
    list_audit, failed = reader.list_audit, asyncio.Event()

    async def away(*_: object) -> None:
        failed.set()
        message = "gone"
        raise StoreUnavailable(message)

    async with asyncio.timeout(60), server.state.hub.watch(lambda news: news.subject.startswith("job:")) as watcher:
        monkeypatch.setattr(reader, "list_audit", away)
        await failed.wait()
        monkeypatch.setattr(reader, "list_audit", list_audit)
        job = await enqueue(acme)
        await acme.post(f"/jobs/{job['id']}/cancel", json={"reason": "x"})
        news = await watcher.queue.get()
    assert news is not None
    assert news.subject == f"job:{job['id']}"


@pytest.mark.parametrize("path", ["/events", "/jobs/{id}/events"])
async def test_what_a_key_has_opened_does_not_outlive_it(server, ring, operator, path):
    async with serving(server) as address, open_client(address, ACME) as client:
        job = await enqueue(client)
        async with client.stream("GET", path.format(**job)) as stream, asyncio.timeout(60):
            lines = stream.aiter_lines()
            assert await anext(lines) == ": here"
            del ring.keys[ACME]
            await operator.post(f"/jobs/{job['id']}/cancel", json={"reason": "because"})
            assert "cancelled" not in str([line async for line in lines]).lower()
        while server.state.hub.watchers:
            await asyncio.sleep(0.01)


async def test_who_waits_for_a_result_with_a_key_that_ends_meanwhile_is_not_given_it(server, ring, acme):
    job = await enqueue(acme)
    waiting = asyncio.create_task(acme.get(f"/jobs/{job['id']}/result", params={"timeout": 0.6}))
    while not server.state.hub.watchers:
        await asyncio.sleep(0.01)
    del ring.keys[ACME]
    refused = await waiting
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
