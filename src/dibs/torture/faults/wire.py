"""A wire between clients and a server that can be slow, silent, deaf or cut. It knows nothing of what is said on it."""

import asyncio
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec

CHUNK = 1 << 16
DEAF_SECONDS = 0.1
DRIP_PAUSE = 0.002
STOP_SECONDS = 5.0


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How a wire behaves.

    `latency`: seconds by which everything is late. `drip`: bytes that pass at a time. `is_silent`: nothing passes, and
    nobody is told; connections that were there stay dead. `is_deaf`: questions pass, answers do not, and soon the
    connection breaks. `is_closed`: nobody is let in. `cut_after`: a connection breaks after so many bytes of questions.
    """

    latency: float = 0.0
    drip: int = 0
    is_silent: bool = False
    is_deaf: bool = False
    is_closed: bool = False
    cut_after: int | None = None


HONEST = Manner()


class Link:
    """One connection through the wire."""

    def __init__(self, wire: "Wire", client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self._wire = wire
        self._client = client
        self._server = server
        self._asked = 0
        self.is_dead = False
        self.over = asyncio.Event()

    async def carry_questions(self, reader: asyncio.StreamReader) -> None:
        """Carry what the client says."""
        while chunk := await reader.read(CHUNK):
            manner = self._wire.manner
            self._asked += len(chunk)
            if manner.cut_after is not None and self._asked > manner.cut_after:
                self._server.write(chunk[: len(chunk) // 2])
                self.reset()
                return
            await self._pass(chunk, self._server, manner)

    async def carry_answers(self, reader: asyncio.StreamReader) -> None:
        """Carry what the server says."""
        while chunk := await reader.read(CHUNK):
            manner = self._wire.manner
            if manner.is_deaf:
                # The server has answered, so what was asked is done; the client never hears of it.
                await asyncio.sleep(DEAF_SECONDS)
                self.reset()
                return
            await self._pass(chunk, self._client, manner)

    async def _pass(self, chunk: bytes, writer: asyncio.StreamWriter, manner: Manner) -> None:
        if manner.is_silent or self.is_dead:
            self.is_dead = True
            return
        if manner.latency:
            await asyncio.sleep(manner.latency)
        for piece in _pieces(chunk, manner.drip):
            writer.write(piece)
            await writer.drain()
            if manner.drip:
                await asyncio.sleep(DRIP_PAUSE)

    def reset(self) -> None:
        """Break the connection as a crashed machine does: the client gets a reset, the server an end."""
        self.over.set()
        with suppress(OSError, AttributeError):
            sock = self._client.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self._client.transport.abort()
        self._server.transport.abort()


class Wire:
    """Listens on a port of its own on loopback, and leads to one server."""

    def __init__(self, host: str, port: int) -> None:
        self.target = host, port
        self.manner = HONEST
        self._listener: asyncio.Server | None = None
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._listener is None:
            raise RuntimeError("this wire is not there yet: start it first")
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def start(self, path: Path | None = None) -> Self:
        """Listen, on loopback or at a place in the file system."""
        if path is None:
            self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        else:
            self._listener = await asyncio.start_unix_server(self._serve, str(path))
        return self

    async def stop(self) -> None:
        """Cut everything and listen no more."""
        if self._listener is not None:
            self._listener.close()
        self.reset()
        if self._tasks:
            # Their connections are broken, so they end by themselves.
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)

    def reset(self) -> int:
        """Break every connection; tells how many there were."""
        links = list(self._links)
        for link in links:
            link.reset()
        return len(links)

    @contextmanager
    def behaving(self, manner: Manner) -> Iterator[None]:
        """Behave like this for a while. What fell silent stays silent: only new connections are well afterwards."""
        self.manner = manner
        if manner.is_silent:
            for link in self._links:
                link.is_dead = True
        if manner.is_closed:
            self.reset()
        try:
            yield
        finally:
            self.manner = HONEST

    async def _serve(self, client_reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self.manner.is_closed:
            client.transport.abort()
            return
        self._tasks.add(task)
        try:
            with suppress(OSError):
                server_reader, server = await asyncio.open_connection(*self.target)
                await self._relay((client_reader, client), (server_reader, server))
        finally:
            client.close()
            self._tasks.discard(task)

    async def _relay(
        self,
        here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        link = Link(self, here[1], there[1])
        self._links.add(link)
        carrying = [
            asyncio.create_task(_quietly(link.carry_questions(here[0]))),
            asyncio.create_task(_quietly(link.carry_answers(there[0]))),
        ]
        try:
            # An end of either side ends both; a dead link is told of no end.
            await asyncio.wait(carrying, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._links.discard(link)
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)
            there[1].transport.abort()


async def _quietly(carrying: Coroutine[Any, Any, None]) -> None:
    with suppress(OSError):
        await carrying


def _pieces(chunk: bytes, size: int) -> list[bytes]:
    if not size:
        return [chunk]
    return [chunk[begin : begin + size] for begin in range(0, len(chunk), size)]
