"""Logs carry no payload: a whole run with personal markers everywhere leaves none of them in what was printed."""

import io
import logging
import re
import sys

import httpx
import pytest
import structlog

from dibs.cli.logs import LogLevel, _Forwarding, set_up_logs
from dibs.kit.log import trace_of
from tests.cli.commands.test_up import PATIENCE, make_key, stop

MARK = "Zofia-Przykładowa-0815"
ASCII_MARK = "zofia.0815@example.com"
NOSY = """
from datetime import timedelta

import dibs

app = dibs.Dibs("memory://")


@app.task("ECHO", max_retries=0)
async def echo(ctx, text: str) -> str:
    await ctx.report_progress(text)
    return text


@app.task("BURST", max_retries=1, retry=dibs.RetryPolicy(base=timedelta(0)))
async def burst(text: str) -> str:
    raise RuntimeError("cannot mail " + text)


@app.task("THREADED", max_retries=0)
def threaded(text: str) -> object:
    try:
        raise KeyError(text)
    except KeyError as cause:
        raise dibs.Permanent("no such person: " + text) from cause


@app.task("ODD", max_retries=0)
async def odd(text: str) -> object:
    return {object(): text}


@app.task("UNJUDGED", max_retries=0, retry=dibs.RetryPolicy(classify=lambda error: 1 / 0))
async def unjudged(text: str) -> str:
    raise ValueError(text)
"""


def send_everything(url: str, key: str) -> None:
    """Put markers wherever a caller can put something."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE) as client:
        jobs = []
        for job_type in ("ECHO", "BURST", "THREADED", "ODD", "UNJUDGED"):
            answered = client.post("/api/v1/jobs", json={"job_type": job_type, "input": {"text": MARK}})
            assert answered.status_code == 201, answered.text
            jobs.append(answered.json()["job"]["id"])
        for job_id in jobs:
            ended = client.get(f"/api/v1/jobs/{job_id}/result", params={"timeout": 30})
            assert ended.json()["state"] in ("succeeded", "failed"), ended.text
        for body in ({"job_type": "ECHO", "input": {"text": [MARK]}}, {"job_type": 5, MARK: MARK}, [MARK]):
            assert client.post("/api/v1/jobs", json=body).status_code == 422
        client.post("/api/v1/jobs", content=f'{{"{MARK}": '.encode())
        client.get(f"/api/v1/jobs/{ASCII_MARK}")
        client.get("/api/v1/jobs", params={"unique_key": MARK, "cursor": MARK})
        client.get(f"/{ASCII_MARK}", headers={"X-Request-Id": ASCII_MARK, "Cookie": f"dibs={ASCII_MARK}"})
        client.post(f"/api/v1/jobs/{jobs[1]}/retry", json={"reason": MARK})
        client.post("/api/v1/jobs", json={"job_type": "ECHO"}, headers={"Idempotency-Key": ASCII_MARK})
    origin = {"Origin": url}
    for fields in ({"name": MARK, "password": MARK}, {"name": MARK, "password": 5}):
        httpx.post(f"{url}/sign-in", json=fields, headers=origin, timeout=PATIENCE)
    httpx.post(f"{url}/setup/{ASCII_MARK}", json={"name": MARK, "password": MARK}, headers=origin, timeout=PATIENCE)
    httpx.get(f"{url}/api/v1/jobs", headers={"Authorization": f"Bearer {ASCII_MARK}"}, timeout=PATIENCE)


def test_a_whole_run_leaves_no_personal_marker_in_the_logs(room, program):
    (room / "nosy.py").write_text(NOSY)
    up = program("up", "--data", "data", "--port", "0", "--app", "nosy", "--log-level", "debug")
    found = re.match(r"Ready: (http://[\d.:]+)", up.stdout.readline())
    assert found is not None, up.stderr.read()
    secret = up.stdout.readline().partition("/setup/")[2].partition(" ")[0]
    key = make_key(room, DIBS_DATA="data")
    send_everything(found[1], key)
    stop(up)
    printed = up.stdout.read() + up.stderr.read()
    assert "engine.job.errored" in printed, "the log was not written at all"
    assert "engine.handler.unjudged" in printed
    for marker in (MARK, ASCII_MARK, MARK.encode("unicode_escape").decode(), key, secret, "0815"):
        assert marker not in printed


def catch_marked() -> RuntimeError:
    def fail() -> None:
        raise KeyError(MARK)

    def wrap() -> None:
        try:
            fail()
        except KeyError as cause:
            raise RuntimeError(MARK) from cause

    with pytest.raises(RuntimeError) as caught:
        wrap()
    return caught.value


def test_an_error_is_told_by_its_class_and_its_place_only():
    told = trace_of(catch_marked())
    assert (told["error"], told["causes"]) == ("RuntimeError", ["KeyError"])
    assert told["trace"][-1].startswith("test_logs.py:")
    assert MARK not in str(told)


def test_lines_of_libraries_come_without_values():
    error = catch_marked()
    info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "f.py", 1, "it broke: %s", (MARK,), info)
    with structlog.testing.capture_logs() as lines:
        _Forwarding().emit(record)
    assert lines[0]["said"] == "it broke: %s"
    assert MARK not in str(lines)


class Writes(io.StringIO):
    """Remembers what each call wrote, as a pipe that several processes share would receive it."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def write(self, text: str) -> int:
        self.calls.append(text)
        return len(text)


def test_a_line_is_written_whole_so_that_processes_do_not_write_into_each_others_lines(monkeypatch):
    writes = Writes()
    monkeypatch.setattr(sys, "stderr", writes)
    before = structlog.get_config()
    structlog.reset_defaults()
    try:
        set_up_logs(LogLevel.INFO)
        structlog.get_logger().info("first")
        structlog.get_logger().info("second")
    finally:
        structlog.configure(**before)
    assert [call.count("\n") for call in writes.calls] == [1, 1]
    assert all(call.endswith("\n") for call in writes.calls)
