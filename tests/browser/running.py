"""`dibs up` as a process of its own, and a program that talks to it."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec

HOUSE = Path(__file__).parents[2]
ADMIN = {"name": "ada", "password": "correct horse battery"}
PATIENCE = 60


class Running(msgspec.Struct, kw_only=True):
    """A service that answers at `place`; `setup` is the link for its first admin."""

    place: str
    setup: str
    data: Path


@contextlib.contextmanager
def run_up(data: Path, *more: str) -> Iterator[Running]:
    """Start `dibs up` on a folder, and stop it at the end."""
    command = [sys.executable, "-m", "dibs.cli", "up", "--no-browser", "--port", "0", "--data", str(data)]
    # A name of its own: else workers are called after this machine, in pictures that are published.
    environment = {**os.environ, "PYTHONPATH": f"{HOUSE / 'src'}:{HOUSE}", "WORKER_ID": "web-1"}
    environment.pop("DIBS_URL", None)
    with (data.parent / f"{data.name}.log").open("w") as log:
        process = subprocess.Popen(
            [*command, *more], stdout=subprocess.PIPE, stderr=log, text=True, cwd=data.parent, env=environment
        )
        try:
            yield _greet(process, data)
        finally:
            process.terminate()
            process.wait(PATIENCE)
            assert process.stdout is not None
            process.stdout.close()


def _greet(process: subprocess.Popen[str], data: Path) -> Running:
    said = ""
    assert process.stdout is not None
    while "Set up: " not in said:
        line = process.stdout.readline()
        assert line, f"dibs up ended: {said}"
        said += line
    place, setup = re.search(r"Ready: (\S+) on ", said), re.search(r"Set up: (\S+)", said)
    assert place is not None
    assert setup is not None
    return Running(place=place[1], setup=setup[1], data=data)


def set_up(running: Running) -> None:
    """Make the first admin."""
    with speak(running) as client:
        assert client.post(running.setup, json=ADMIN).status_code == 200


def speak(running: Running) -> httpx.Client:
    """Talk as a browser would."""
    return httpx.Client(base_url=running.place, headers={"Origin": running.place}, timeout=PATIENCE)


class Program:
    """Somebody who uses the API."""

    def __init__(self, running: Running) -> None:
        self.client = speak(running)
        assert self.client.post("/sign-in", json=ADMIN).status_code == 200

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Ask for something that must work."""
        answer = self.client.request(method, f"/api/v1{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def enqueue(self, job_type: str, given: Any = None, **options: Any) -> str:
        """Store a job."""
        job = self.send("POST", "/jobs", {"job_type": job_type, "input": given or {}, **options})["job"]
        return str(job["id"])

    def wait_for(self, job_id: str) -> dict[str, Any]:
        """Wait until a job is final."""
        found: dict[str, Any] = self.send("GET", f"/jobs/{job_id}/result?timeout=30")
        return found

    def find(self, job_id: str) -> dict[str, Any]:
        """Read a job."""
        found: dict[str, Any] = self.send("GET", f"/jobs/{job_id}")
        return found
