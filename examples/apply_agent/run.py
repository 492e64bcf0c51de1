"""One run at one posting, as Dibs sees it: claimed, announced, reported on over HTTP."""

import time
import uuid
from typing import Any

import httpx

JOBS = "/api/crawler/jobs"
CONFLICT = 409
BETWEEN_QUESTIONS = 5.0


class Refused(Exception):
    """The posting is not ours, or not any more: stop, and send nothing."""


class Run:
    """Claims the posting when it is made."""

    def __init__(self, client: httpx.Client, board: str, job_id: str) -> None:
        self._client = client
        self.run_id = str(uuid.uuid4())
        # Asked again with the same body, if the line breaks, it is the same claim.
        claim = {"action": "run", "run_id": self.run_id, "job_id": job_id, "board": board, "variant_id": "example"}
        _check(client.post(JOBS, json=claim))
        self.url: str = _check(client.get(JOBS, params={"runs_for": job_id, "board": board}))["job"]["apply_url"]

    def report(self, status: str, **more: Any) -> None:
        """Say how far it is; this also keeps the claim alive."""
        _check(self._send(status, more))

    def announce(self, answers: dict[str, str]) -> None:
        """Say that it submits next; if a person has to agree first, wait for that."""
        said = {"artifacts": {"answers": answers}}
        while (answer := self._send("submitting", said)).status_code == CONFLICT and _is_waiting(answer):
            time.sleep(BETWEEN_QUESTIONS)
        _check(answer)

    def _send(self, status: str, more: dict[str, Any]) -> httpx.Response:
        return self._client.patch(JOBS, json={"run_id": self.run_id, "status": status, **more})


def _is_waiting(answer: httpx.Response) -> bool:
    return answer.json().get("rule") == "approval"


def _check(answer: httpx.Response) -> dict[str, Any]:
    said: dict[str, Any] = answer.json()
    if answer.is_error:
        raise Refused(said["detail"])
    return said
