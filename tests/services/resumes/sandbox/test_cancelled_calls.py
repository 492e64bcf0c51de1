"""Whoever leaves while a document is handed over leaves nothing open."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from dibs.services.resumes.sandbox import client
from dibs.services.resumes.sandbox.client import Sandbox

# It never comes to asking.
UNASKED: Any = None


async def test_a_connection_that_comes_after_its_caller_has_left_is_closed(monkeypatch):
    ours, theirs = socket.socketpair()
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def hand_over(_):
        begun.set()
        assert go_on.wait(30)
        return ours

    def close_late(handing):
        real(handing)
        closed.set()

    real = client._close_late
    monkeypatch.setattr(Sandbox, "_hand_over", hand_over)
    monkeypatch.setattr(client, "_close_late", close_late)
    with theirs, Sandbox() as sandbox:
        calling = asyncio.create_task(sandbox.call(UNASKED))
        await asyncio.to_thread(begun.wait, 30)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        go_on.set()
        assert await asyncio.to_thread(closed.wait, 30)
        assert ours.fileno() == -1


def test_a_parent_that_does_not_start_in_time_leaves_no_connection_open(monkeypatch):
    opened: list[socket.socket] = []
    real = socket.socketpair

    def make_pair():
        opened.extend(real())
        return tuple(opened)

    monkeypatch.setattr(socket, "socketpair", make_pair)
    monkeypatch.setattr(client, "START_SECONDS", 0.001)
    with Sandbox() as sandbox, pytest.raises(OSError, match="timed out"):
        sandbox.start()
    assert [one.fileno() for one in opened] == [-1, -1]
