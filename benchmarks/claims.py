"""Many agents want the same postings at once, over HTTP, from several server processes.

    python -m benchmarks.claims [--store sqlite|postgres] [--servers 3] [--claims 2000] [--in-flight 12]

Each posting must be given once (201), and everybody else refused (409). An answer's time counts from when it was asked
for, with so many requests in flight over all servers; the processor time is that of the servers, without the databases.
On PostgreSQL the locks are on Redis. `chrt -r 20` before it keeps others of a busy machine out of the figures.
"""

import argparse
import asyncio
import contextlib
import json
import os
import tempfile
import time

from benchmarks.server import ask, make_key, read_cpu, running, write_request
from dibs.apps.postings import store
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.model import Place, Posting
from dibs.apps.postings.records import BoardCard, BoardPolicy
from dibs.assembly import make_directory
from dibs.storage.sight import sight_of
from dibs.testing.servers import PostgresServer, ValkeyServer

JOBS = "/api/crawler/jobs"
BOARD = "ramp"
WARM = "warm"


async def prepare(url: str, ids: list[str]) -> str:
    """Make the tables, a key, and postings to claim."""
    key = await make_key(url)
    async with make_directory(None, url).tables as tables, tables.writing(sight_of("acme")) as transaction:
        policy = BoardPolicy(approval=Approval.NEVER)
        card = BoardCard(name=BOARD, provider="greenhouse", token=BOARD, policy=policy, created_at=transaction.now)
        await store.add_board(transaction, card)
        for job_id in ids:
            posting = Posting(external_id=job_id, title=f"Cook {job_id}", company="Ibis", places=(Place(name="Lima"),))
            content = {**store.content_row(BOARD, posting), "digest": store.digest_of(posting)}
            await store.add_posting(transaction, BOARD, job_id, content)
    return key


def write_claim(key: str, run_id: str, job_id: str) -> bytes:
    body = {"action": "run", "run_id": run_id, "job_id": job_id, "board": BOARD, "variant_id": "v1"}
    return write_request(key, "POST", JOBS, json.dumps(body).encode())


async def send(options: argparse.Namespace, key: str, servers: list) -> list[tuple[int, int, float]]:
    """Claim everything; gives status, posting and time of each answer."""
    addresses = [address for _, address in servers]
    lines = [await asyncio.open_connection(*addresses[n % len(addresses)]) for n in range(options.in_flight)]
    for number, line in enumerate(lines[: len(addresses)]):
        # A server that has just started prepares its statements with the first claim.
        assert (await ask(*line, write_claim(key, f"{WARM}-{number}", f"{WARM}-{number}")))[0] == 201
    numbers, answers = iter(range(options.claims)), []

    async def agent(line) -> None:
        for number in numbers:
            posting = number % options.postings
            request, began = write_claim(key, f"run-{number}", str(posting)), time.perf_counter()
            status, _ = await ask(*line, request)
            answers.append((status, posting, time.perf_counter() - began))

    await asyncio.gather(*map(agent, lines))
    for _, writer in lines:
        writer.close()
    return answers


async def measure(options: argparse.Namespace, key: str, servers: list) -> None:
    used, began = sum(read_cpu(pid) for pid, _ in servers), time.perf_counter()
    answers = await send(options, key, servers)
    wall, used = time.perf_counter() - began, sum(read_cpu(pid) for pid, _ in servers) - used
    given = sorted(posting for status, posting, _ in answers if status == 201)
    assert given == list(range(options.postings)), "a posting was given twice, or not at all"
    assert {status for status, _, _ in answers} <= {201, 409}
    for name, statuses in (("all", (201, 409)), ("given", (201,)), ("refused", (409,))):
        spans = sorted(span for status, _, span in answers if status in statuses) or [0.0]
        print(f"{name:8} {len(spans):6,}   p50 {find(spans, 0.5):7.1f} ms   p99 {find(spans, 0.99):7.1f} ms", end="")
        print(f"   longest {spans[-1] * 1000:7.1f} ms")
    each = used / options.claims * 1000
    print(f"{options.claims / wall:,.0f} a second, {each:.2f} ms of the servers' processors each,", end="")
    print(f" {options.in_flight} in flight, {len(servers)} servers, load {os.getloadavg()[0]:.0f}")


def find(spans: list[float], part: float) -> float:
    return spans[int((len(spans) - 1) * part)] * 1000


@contextlib.contextmanager
def stores(kind: str):
    """Give the URL of the jobs; that of the tables is in the environment, where servers look for it."""
    with contextlib.ExitStack() as stack:
        if kind == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            jobs = tables = f"sqlite:///{folder}/dibs.db"
        else:
            tables = stack.enter_context(PostgresServer()).url
            jobs = stack.enter_context(ValkeyServer()).url
        os.environ["DIBS_TABLES_URL"] = tables
        yield jobs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    for name, number in (("servers", 3), ("claims", 2_000), ("postings", 100), ("in-flight", 12)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    ids = [*map(str, range(options.postings)), *(f"{WARM}-{number}" for number in range(options.servers))]
    with stores(options.store) as url, contextlib.ExitStack() as stack:
        key = asyncio.run(prepare(url, ids))
        servers = [stack.enter_context(running(url)) for _ in range(options.servers)]
        asyncio.run(measure(options, key, servers))


if __name__ == "__main__":
    main()
