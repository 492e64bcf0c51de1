"""Endpoints of the API beside bare ones of the same framework, on the same uvicorn, in one run.

    python -m benchmarks.server [--seconds 2] [--rounds 3] [--connections 16]

Bare: FastAPI reads a body with pydantic and gives a small answer; no key, no store.
Ours: key looked up in the tables, scope, rate, limits, store.
Both servers are processes of their own, and are asked in turns, so that a busy machine is busy for both. The processor
time of a request is told as well: others on the machine, and the one who asks, cannot blur it.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import socket
import statistics
import tempfile
import time
from pathlib import Path

import dibs
from dibs.access.actions import create_key, create_tenant
from dibs.access.keeper import StoreGatekeeper
from dibs.access.model import NewKey, by_system
from dibs.access.scopes import Scope
from dibs.assembly import find_tables_schema, make_directory
from dibs.server.application import make_server
from dibs.server.options import ServerOptions
from dibs.server.serving import Service, listen
from dibs.web.kept.answers import TableAnswers
from dibs.web.rates import Rate

FREE = Rate(per_second=1_000_000_000, burst=1_000_000_000)
OPTIONS = ServerOptions(calls=FREE, failed_keys=FREE)
BODY = json.dumps({"job_type": "PING", "input": {"text": "hello"}, "queue": "mail", "priority": 5}).encode()
ENOUGH = 0.5


async def make_key(url: str) -> str:
    """Make the tables beside the jobs, and a key in them."""
    await find_tables_schema(url).migrate()
    directory = make_directory(None, url)
    async with directory.tables:
        by = by_system("bench")
        await create_tenant(directory, "acme", by)
        return (await create_key(directory, NewKey(tenant="acme", scopes=frozenset(Scope)), by))[1]


def make_ours(url: str):
    """Make the server as `dibs server` does, without its limit of requests a second."""
    directory = make_directory(None, url)
    answers = TableAnswers(directory.tables)
    return make_server(dibs.Dibs(url), StoreGatekeeper(directory), directory, options=OPTIONS, answers=answers)


def make_bare():
    from fastapi import FastAPI  # noqa: PLC0415 - the other servers do without
    from pydantic import BaseModel  # noqa: PLC0415

    class Body(BaseModel):
        job_type: str
        input: dict
        queue: str = "default"
        priority: int = 0

    app = FastAPI()
    app.state.hub = contextlib.nullcontext()
    app.state.hub.close = lambda: None
    app.state.nudges = app.state.hub

    @app.post("/bare")
    async def post(body: Body):
        return {"job_type": body.job_type, "input": body.input, "queue": body.queue, "priority": body.priority}

    @app.get("/bare/{name}")
    async def get(name: str):
        return {"name": name, "job_type": "PING", "input": {"text": "hello"}, "queue": "mail", "priority": 5}

    return app


def serve(url: str | None, listener: socket.socket, ready) -> None:
    app = make_bare() if url is None else make_ours(url)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(Service(app, OPTIONS).run(listener, on_ready=ready.set))


@contextlib.contextmanager
def running(url: str | None):
    context = multiprocessing.get_context("fork")
    listener, ready = listen("127.0.0.1", 0), context.Event()
    process = context.Process(target=serve, args=(url, listener, ready))
    process.start()
    assert ready.wait(30), "the server did not start"
    try:
        yield process.pid, listener.getsockname()
    finally:
        process.terminate()
        process.join(20)
        listener.close()


def write_request(key: str, method: str, path: str, body: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n" if body else "\r\n"
    return head.encode() + body


async def ask(reader, writer, request: bytes) -> tuple[int, bytes]:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return int(head[9:12]), await reader.readexactly(length)


def read_cpu(pid: int) -> float:
    """Give the processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(server, requests: list[bytes], seconds: float, connections: int) -> tuple[float, float]:
    """Ask over and over on so many connections; give the requests a second, and the processor time of one."""
    pid, address = server
    count, end, used = 0, time.perf_counter() + seconds, read_cpu(pid)

    round_about = itertools.cycle(requests)

    async def one() -> None:
        nonlocal count
        reader, writer = await asyncio.open_connection(*address)
        while time.perf_counter() < end:
            status, said = await ask(reader, writer, next(round_about))
            assert status < 300, said
            count += 1
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    return count / (time.perf_counter() - began), (read_cpu(pid) - used) / count


async def store_some(key: str, address) -> list[str]:
    """Store jobs to be read: a different one each time, so that no answer serves two."""
    reader, writer = await asyncio.open_connection(*address)
    many = json.dumps({"jobs": [json.loads(BODY)] * 500}).encode()
    _, said = await ask(reader, writer, write_request(key, "POST", "/api/v1/jobs/bulk", many))
    writer.close()
    return [job["id"] for job in json.loads(said)["jobs"]]


async def measure(options, key, bare, ours) -> dict[str, tuple[float, float]]:
    ids = await store_some(key, ours[1])
    runs = {
        "bare post": (bare, [write_request(key, "POST", "/bare", BODY)]),
        "enqueue": (ours, [write_request(key, "POST", "/api/v1/jobs", BODY)]),
        "bare get": (bare, [write_request(key, "GET", f"/bare/{job_id}") for job_id in ids]),
        "read a job": (ours, [write_request(key, "GET", f"/api/v1/jobs/{job_id}") for job_id in ids]),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, (server, requests) in runs.items():
            found[name].append(await load(server, requests, options.seconds, options.connections))
    return {name: tuple(map(statistics.median, zip(*pairs, strict=True))) for name, pairs in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--url", default=None, help="the store; a new SQLite file unless given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = options.url or f"sqlite:///{folder}/jobs.db"
        key = asyncio.run(make_key(url))
        with running(None) as bare, running(url) as ours:
            figures = asyncio.run(measure(options, key, bare, ours))
    for pair in (("enqueue", "bare post"), ("read a job", "bare get")):
        show(*(figure for name in pair for figure in (name, *figures[name])))


def show(name: str, rate: float, cpu: float, bare_name: str, bare_rate: float, bare_cpu: float) -> None:
    by_rate, by_cpu = rate / bare_rate, bare_cpu / cpu
    verdict = "ok" if by_rate >= ENOUGH else f"below {ENOUGH}"
    print(
        f"{name:10} {rate:7,.0f}/s {cpu * 1e6:6,.0f} us   {bare_name:9} {bare_rate:7,.0f}/s {bare_cpu * 1e6:6,.0f} us",
        end="",
    )
    print(f"   ratio {by_rate:.2f} by rate ({verdict}), {by_cpu:.2f} by processor time")


if __name__ == "__main__":
    main()
