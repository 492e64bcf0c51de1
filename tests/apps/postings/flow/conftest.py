"""Servers of postings, each in a process of its own, on the same tables."""

import subprocess
import sys
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest

from dibs.storage.database.address import read_address
from tests.server.keys import OPERATOR
from tests.tables import add_option

JOBS = "/api/crawler/jobs"


def start(command: list[str]) -> Any:
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class House:
    """One server."""

    def __init__(self, tables_url, jobs_url="memory://", death="", lease=300):
        command = [sys.executable, "-m", "tests.apps.postings.flow.house", tables_url, jobs_url, death, str(lease)]
        self.death = death
        self.process = start(command)
        port = self.process.stdout.readline().strip()
        assert port, "the server did not start"
        self.place = f"http://127.0.0.1:{port}"

    def connect(self, connections=4):
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        headers = {"Authorization": f"Bearer {OPERATOR}"}
        return httpx.AsyncClient(base_url=self.place, headers=headers, limits=limits, timeout=60)

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()


@pytest.fixture
def places(url, request):
    """Where the tables are, and where the jobs are with the locks: on Redis where the tables are on a server."""
    if not read_address(url).is_postgres:
        return url, "memory://"
    return url, add_option(request.getfixturevalue("redis_url"), f"namespace=t{uuid4().hex[:12]}")


@pytest.fixture
def open_house():
    """Open a server for a while, as `with open_house(url) as house`."""

    @contextmanager
    def opening(*given, **named):
        house = House(*given, **named)
        try:
            yield house
        finally:
            house.close()

    return opening


async def claim(client, run_id="run-1", job_id="12345"):
    return await client.post(JOBS, json={"action": "run", "run_id": run_id, "job_id": job_id, "board": "ramp"})


async def report(client, status, run_id="run-1"):
    return await client.patch(JOBS, json={"run_id": run_id, "status": status})
