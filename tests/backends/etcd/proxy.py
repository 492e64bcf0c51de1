"""A way to etcd that loses the answer to a certain question."""

import asyncio
from contextlib import suppress
from typing import Self

CHUNK = 1 << 16
# A look compares nothing; what writes always compares a revision.
WRITE = b'"mod_revision"'


class LosingProxy:
    """Passes everything on. When `is_losing`, it hangs up as soon as etcd has answered a write."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._tasks: set[asyncio.Task[None]] = set()
        self._last = b""
        self.is_losing = False
        self.lost = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        there = await asyncio.open_connection("127.0.0.1", self._target)
        with suppress(OSError, asyncio.CancelledError):
            await self._relay((reader, writer), there)
        for end in (writer, there[1]):
            end.close()
        self._tasks.discard(task)

    async def _relay(self, here, there) -> None:
        """Carry both ways at once, as HTTP needs it: a question may come in pieces."""
        asked = asyncio.create_task(self._carry(here[0], there[1]))
        try:
            while answer := await there[0].read(CHUNK):
                if self.is_losing and WRITE in self._last:
                    self.lost += 1
                    return
                here[1].write(answer)
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(CHUNK):
            self._last = piece
            writer.write(piece)
