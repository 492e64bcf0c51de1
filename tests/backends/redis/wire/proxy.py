"""A wire between client and server that can be cut at the worst moment."""

import asyncio
import contextlib
from typing import Self


class CuttingProxy:
    """Passes everything on. When told to, it lets a question through and swallows the answer, or swallows both."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut_answers = False
        self.cut_questions = False
        self.questions = 0

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/0"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target)
            try:
                await self._relay((reader, writer), (there_reader, there_writer))
            finally:
                there_writer.close()
        writer.close()
        self._tasks.discard(task)

    async def _relay(self, here, there) -> None:
        while question := await here[0].read(1 << 20):
            self.questions += 1
            if self.cut_questions:
                return
            there[1].write(question)
            await there[1].drain()
            answer = await there[0].read(1 << 20)
            if self.cut_answers:
                return
            here[1].write(answer)
            await here[1].drain()
