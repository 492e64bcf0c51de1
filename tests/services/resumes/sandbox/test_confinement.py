"""A child can do nothing but read its document, and costs nobody else anything."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dibs.errors import UnreadableDocument
from dibs.services.resumes.sandbox import Allowance, Read, Sandbox, probes
from dibs.services.resumes.sandbox.requests import Try
from dibs.services.resumes.sandbox.syscalls import ARCHITECTURES, build_filter
from tests.services.resumes.making import BODY, text_of

SOON = Allowance(cpu_seconds=1, wall_seconds=2)
SLEEP_BRIEFLY = Allowance(wall_seconds=0.3)


def read(sandbox: Sandbox, data: bytes = BODY.encode()) -> str:
    document = sandbox.run(Read(), data).document
    assert document is not None
    return text_of(document)


@pytest.mark.parametrize("what", ["network", "files", "writing", "processes", "memory"])
def test_a_child_cannot(sandbox, what):
    assert sandbox.run(Try(what=what)).done is False


def test_what_a_child_cannot_do_can_be_done_outside():
    """Otherwise the attempts would prove nothing."""
    assert probes.read_secret()
    assert probes.write_file()


@pytest.mark.parametrize(
    ("what", "allowance", "code"),
    [("time", SOON, "too_slow"), ("sleep", SLEEP_BRIEFLY, "too_slow"), ("crash", SOON, "crashed")],
)
def test_a_child_that_goes_wrong_is_one_error_and_the_next_document_works(sandbox, what, allowance, code):
    with pytest.raises(UnreadableDocument) as refused:
        sandbox.run(Try(what=what), allowance=allowance)
    assert refused.value.code == code
    assert read(sandbox) == BODY


def test_a_child_costs_a_fraction_of_what_its_warm_parent_does():
    with Sandbox() as own:
        first, *costs = [_time(lambda: read(own)) for _ in range(6)]
    assert min(costs) * 5 < first


def _time(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def test_many_documents_at_once_do_not_mix(sandbox):
    found: dict[int, str] = {}

    def work(number: int) -> None:
        found[number] = read(sandbox, f"document {number} ".encode() * 50)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(set(text.split()) == {"document", str(number)} for number, text in found.items())
    assert len(found) == 12


def test_a_parent_that_was_killed_is_started_again():
    with Sandbox() as sandbox:
        assert read(sandbox) == BODY
        assert sandbox._process is not None
        sandbox._process.kill()
        sandbox._process.wait()
        assert read(sandbox) == BODY


def test_a_stop_that_is_sent_to_everybody_lets_documents_be_finished():
    with Sandbox() as sandbox:
        assert read(sandbox) == BODY
        assert sandbox._process is not None
        parent = sandbox._process.pid
        os.kill(parent, signal.SIGTERM)
        assert os.getpgid(parent) != os.getpgrp(), "Ctrl-C would reach it"
        assert read(sandbox) == BODY
        assert sandbox._process.pid == parent


def test_the_parent_knows_no_secret_and_has_no_network(sandbox, monkeypatch):
    monkeypatch.setenv("DIBS_AUDIT_KEY", "a secret of the worker")
    with Sandbox() as own:
        own.start()
        assert own._process is not None
        table = Path(f"/proc/{own._process.pid}")
        assert b"secret" not in (table / "environ").read_bytes()
        assert (table / "ns" / "net").readlink() != Path("/proc/self/ns/net").readlink()


async def test_when_the_caller_is_cancelled_the_child_is_ended(sandbox):
    task = asyncio.create_task(sandbox.call(Try(what="sleep"), allowance=Allowance(wall_seconds=600)))
    child = await find_child(sandbox)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while Path(f"/proc/{child}").exists():  # noqa: ASYNC240 - no disk is behind it
        await asyncio.sleep(0.01)


async def find_child(sandbox: Sandbox) -> int:
    assert sandbox._process is not None
    pid = sandbox._process.pid
    while True:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()  # noqa: ASYNC240
        if children:
            return int(children[0])
        await asyncio.sleep(0.01)


def test_a_client_that_sends_half_an_order_and_leaves_harms_nobody(sandbox):
    ours = sandbox._hand_over()
    ours.sendall(b"\x00\x00\x00\x10\x00")
    ours.close()
    assert read(sandbox) == BODY


def test_a_client_that_says_nothing_holds_up_nobody(sandbox):
    silent = sandbox._hand_over()
    assert isinstance(silent, socket.socket)
    assert read(sandbox) == BODY
    silent.close()


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_is_written_for_each_processor(machine):
    program = build_filter(machine)
    assert len(program) % 8 == 0
    assert 100 < len(program) // 8 < 4096
