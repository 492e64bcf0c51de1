"""`dibs.Client` and `dibs.AsyncClient`: the same verbs, waiting or awaited."""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Self

import msgspec

from dibs.engine.job import Job
from dibs.errors import ApiError, StoreUnavailable
from dibs.kit.encryption.secret import Secret
from dibs.outside.client import requests
from dibs.outside.client.requests import PREFIX, JobsPage, Sent

# Sending again is safe: reads change nothing, and writes carry an idempotency key.
TRIES = 3
PAUSE = 0.2
# Whoever sends again may come before the first request is answered, and is told to wait a second.
UNDER_WAY = "idempotency_key_in_use"
WAITS = 30
_encode = msgspec.json.Encoder().encode


def _arguments(sent: Sent) -> dict[str, Any]:
    body = None if sent.body is None else _encode(sent.body)
    headers = sent.headers if body is None else {"Content-Type": "application/json", **sent.headers}
    return {"params": sent.query, "content": body, "headers": headers, "timeout": sent.patience}


def _options(url: str, key: str, transport: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"}
    # Redirects are not followed: they could take the key elsewhere.
    options = {"base_url": url.rstrip("/") + PREFIX, "headers": headers, "follow_redirects": False}
    return options if transport is None else {**options, "transport": transport}


def _unreachable(url: str, cause: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"the server at {url} does not answer ({type(cause).__name__}). Is it up, and is the URL right?"
    )


def _seconds(timeout: timedelta | float | None) -> float:
    if timeout is None:
        return float("inf")
    return timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)


class _Tries:
    """How often one request is sent."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lost = self._early = 0

    def find_pause(self, error: Exception) -> float:
        """Say in how many seconds it is sent again; raise what became of it if it is not."""
        if isinstance(error, ApiError):
            self._early += 1
            if error.code != UNDER_WAY or self._early > WAITS:
                raise error
            return error.retry_after or PAUSE
        self._lost += 1
        if self._lost == TRIES:
            raise _unreachable(self._url, error) from error
        return PAUSE


class Client:
    """Jobs over HTTP: `with dibs.Client(url, key) as client: client.enqueue("PING", {"text": "hi"})`."""

    def __init__(self, url: str, key: str, *, transport: Any = None) -> None:
        self._httpx = requests.load_httpx()
        self.url = url
        self._http = self._httpx.Client(**_options(url, Secret(key), transport))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    def enqueue(self, job_type: str, given: Any = None, **options: Any) -> Job | None:
        """Store one job. None: its unique key was taken."""
        return requests.read_enqueued(self._send(requests.ask_enqueue(job_type, given, options)))

    def enqueue_many(self, job_type: str, many: Sequence[Any], **options: Any) -> list[Job | None]:
        """Store a job for each input, all or none."""
        return requests.read_bulk(self._send(requests.ask_enqueue_many(job_type, list(many), options)))

    def get_job(self, job_id: str) -> Job:
        """Read one job."""
        return requests.read_job(self._send(requests.ask_job(job_id)))

    def list_jobs(self, **wanted: Any) -> JobsPage:
        """Read one page of jobs, newest first. Filters: state, queue, job_type, …; cursor and limit."""
        return requests.read_page(self._send(requests.ask_jobs(wanted)))

    def cancel_job(self, job_id: str, *, reason: str) -> Job:
        """Cancel an unfinished job."""
        return requests.read_job(self._send(requests.ask_act("cancel", job_id, reason)))

    def retry_job(self, job_id: str, *, reason: str) -> Job:
        """Put a failed or cancelled job back."""
        return requests.read_job(self._send(requests.ask_act("retry", job_id, reason)))

    def wait_for(self, job_id: str, *, timeout: timedelta | float | None = None) -> Job:
        """Wait until a job is final, and give it. Raises TimeoutError when the time is up."""
        deadline = time.monotonic() + _seconds(timeout)
        while True:
            job = requests.read_job(self._send(requests.ask_result(job_id, deadline - time.monotonic())))
            if job.is_final:
                return job
            if time.monotonic() >= deadline:
                raise TimeoutError(_explain_timeout(job))

    def _send(self, sent: Sent) -> bytes:
        tries = _Tries(self.url)
        while True:
            try:
                return requests.check(self._http.request(sent.method, sent.path, **_arguments(sent)))
            except (self._httpx.TransportError, ApiError) as error:
                pause = tries.find_pause(error)
            time.sleep(pause)


class AsyncClient:
    """The same, for code that is async."""

    def __init__(self, url: str, key: str, *, transport: Any = None) -> None:
        self._httpx = requests.load_httpx()
        self.url = url
        self._http = self._httpx.AsyncClient(**_options(url, Secret(key), transport))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let the connections go."""
        await self._http.aclose()

    async def enqueue(self, job_type: str, given: Any = None, **options: Any) -> Job | None:
        """Store one job. None: its unique key was taken."""
        return requests.read_enqueued(await self._send(requests.ask_enqueue(job_type, given, options)))

    async def enqueue_many(self, job_type: str, many: Sequence[Any], **options: Any) -> list[Job | None]:
        """Store a job for each input, all or none."""
        return requests.read_bulk(await self._send(requests.ask_enqueue_many(job_type, list(many), options)))

    async def get_job(self, job_id: str) -> Job:
        """Read one job."""
        return requests.read_job(await self._send(requests.ask_job(job_id)))

    async def list_jobs(self, **wanted: Any) -> JobsPage:
        """Read one page of jobs, newest first. Filters: state, queue, job_type, …; cursor and limit."""
        return requests.read_page(await self._send(requests.ask_jobs(wanted)))

    async def cancel_job(self, job_id: str, *, reason: str) -> Job:
        """Cancel an unfinished job."""
        return requests.read_job(await self._send(requests.ask_act("cancel", job_id, reason)))

    async def retry_job(self, job_id: str, *, reason: str) -> Job:
        """Put a failed or cancelled job back."""
        return requests.read_job(await self._send(requests.ask_act("retry", job_id, reason)))

    async def wait_for(self, job_id: str, *, timeout: timedelta | float | None = None) -> Job:
        """Wait until a job is final, and give it. Raises TimeoutError when the time is up."""
        deadline = time.monotonic() + _seconds(timeout)
        while True:
            job = requests.read_job(await self._send(requests.ask_result(job_id, deadline - time.monotonic())))
            if job.is_final:
                return job
            if time.monotonic() >= deadline:
                raise TimeoutError(_explain_timeout(job))

    async def _send(self, sent: Sent) -> bytes:
        tries = _Tries(self.url)
        while True:
            try:
                return requests.check(await self._http.request(sent.method, sent.path, **_arguments(sent)))
            except (self._httpx.TransportError, ApiError) as error:
                pause = tries.find_pause(error)
            await asyncio.sleep(pause)


def _explain_timeout(job: Job) -> str:
    return f"job {job.id} is {job.state}, not finished. Wait longer, or look later: client.get_job({job.id!r})"
