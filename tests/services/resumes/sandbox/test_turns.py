"""Whose turn it is: text does not wait behind pictures."""

import asyncio
import os
import socket
import threading

from dibs.services.resumes.document import Kind
from dibs.services.resumes.sandbox import Answer, Read, Sandbox, Scan

MANY = 3 * (os.cpu_count() or 1)


async def test_text_is_read_while_pictures_take_all_their_turns(monkeypatch):
    are_read = threading.Event()
    ends: list[socket.socket] = []

    def hand_over() -> socket.socket:
        ends.extend(socket.socketpair())
        return ends[-1]

    def ask(_ours, order, _data) -> Answer:
        if isinstance(order.request, Scan):
            assert are_read.wait(30)
        return Answer(done=True)

    with Sandbox(is_warm=False) as sandbox:
        monkeypatch.setattr(sandbox, "_hand_over", hand_over)
        monkeypatch.setattr(sandbox, "_ask", ask)
        scans = [asyncio.create_task(sandbox.call(Scan(kind=Kind.PDF, number=number))) for number in range(MANY)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(60):
                assert (await sandbox.call(Read())).done
            assert not any(scan.done() for scan in scans)
        finally:
            are_read.set()
        await asyncio.gather(*scans)
    for end in ends:
        end.close()
