"""An agent in a process of its own: tells each step that it has come to, and waits there until it may go on.

The employer's mailbox is a file: a line for each application, written where a real agent would click.
"""

import http.client
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

JOBS = "/api/crawler/jobs"
GOOD = (200, 201)
# Where it can be killed. `…-asked`: the request is sent, and the answer is never read.
STEPS = (
    "start",
    "claim-asked",
    "claimed",
    "reported",
    "announce-asked",
    "announced",
    "clicked",
    "submitted",
    "success-asked",
    "done",
)
# An agent of the old kind never announces.
OLD_STEPS = tuple(step for step in STEPS if not step.startswith("announce"))


class Refused(Exception):
    """Somebody else has the posting: stop, and send nothing."""


class Agent:
    """One run at one posting."""

    def __init__(self, place: str, key: str, run_id: str, job_id: str, board: str) -> None:
        self._place = urlsplit(place).netloc
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.run_id, self.job_id, self.board = run_id, job_id, board

    def ask(self, method: str, body: Mapping[str, object], step: str = "") -> None:
        line = http.client.HTTPConnection(self._place, timeout=60)
        line.request(method, JOBS, json.dumps(body), self._headers)
        if step:
            pause(step)
        answer = line.getresponse()
        told = json.loads(answer.read())
        line.close()
        if answer.status not in GOOD:
            raise Refused(f"{answer.status} {told.get('rule', told['code'])}")

    def report(self, step: str = "", **said: object) -> None:
        self.ask("PATCH", {"run_id": self.run_id, **said}, step)

    def apply(self, mailbox: str, *, is_old: bool) -> None:
        pause("start")
        claim = {"action": "run", "run_id": self.run_id, "job_id": self.job_id, "board": self.board}
        self.ask("POST", claim, "claim-asked")
        pause("claimed")
        self.report(artifacts={"answers": {"yoe": "5"}})
        pause("reported")
        if not is_old:
            self.report("announce-asked", status="submitting")
            pause("announced")
        with Path(mailbox).open("a") as box:
            box.write(f"{self.job_id}\n")
        pause("clicked")
        self.report(status="submitted")
        pause("submitted")
        self.report("success-asked", status="success", artifacts={"confirmation": "thanks"})


def pause(step: str) -> None:
    """Tell a step, and wait until somebody lets it go on."""
    print(step, flush=True)  # noqa: T201 - it is waited for
    sys.stdin.readline()


if __name__ == "__main__":
    *given, mailbox, kind = sys.argv[1:]
    try:
        Agent(*given).apply(mailbox, is_old=kind == "old")
        print("done", flush=True)  # noqa: T201
    except Refused as refusal:
        print(f"refused {refusal}", flush=True)  # noqa: T201
