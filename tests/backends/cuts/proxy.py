"""A wire to a PostgreSQL server that understands just enough of what is said to be cut at an exact point."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Self

from dibs.testing.machine import Cut

STARTUP = 196_608
SSL_REQUEST = 80_877_103
PARSE, BIND, EXECUTE, QUERY, READY = b"P", b"B", b"E", b"Q", b"Z"
FLUSH = b"H\x00\x00\x00\x04"
HEAD = 5
CHUNK = 1 << 16
Message = tuple[bytes, bytes]


class Wire:
    """One connection of a client, and ours to the server in its name."""

    def __init__(self, proxy: "Proxy", client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.proxy = proxy
        self.client = client
        self.server = server
        self.statements: dict[bytes, bytes] = {}
        self.bound = b""
        self.in_transaction = False
        self.is_deaf = False
        self.is_cut = False

    async def carry_questions(self, reader: asyncio.StreamReader) -> None:
        await self._carry_startup(reader)
        rest = b""
        while not self.is_cut and (chunk := await reader.read(CHUNK)):
            messages, rest = split_messages(rest + chunk)
            passed: list[bytes] = []
            for kind, message in messages:
                if self._strikes(kind, message):
                    self.server.write(b"".join(passed))
                    passed = []
                    await self._break(message)
                elif not self.is_cut:
                    passed.append(message)
                self._note(kind, message)
            if passed:
                self.server.write(b"".join(passed))

    async def _carry_startup(self, reader: asyncio.StreamReader) -> None:
        code = 0
        while code != STARTUP:
            size = await reader.readexactly(4)
            body = await reader.readexactly(int.from_bytes(size) - 4)
            code = int.from_bytes(body[:4])
            if code == SSL_REQUEST:
                self.client.write(b"N")
            else:
                self.server.write(size + body)

    def _strikes(self, kind: bytes, message: bytes) -> bool:
        """Tell whether this is the point at which to cut."""
        is_ours = kind == QUERY or (kind == EXECUTE and self.proxy.mark in self.bound)
        if self.proxy.cut is None or not is_ours:
            return False
        if self.proxy.cut is Cut.UNANSWERED:
            return is_commit(kind, message) or (kind == EXECUTE and not self.in_transaction)
        return kind == EXECUTE or self.proxy.cut is Cut.UNSENT

    async def _break(self, message: bytes) -> None:
        cut, self.proxy.cut = self.proxy.cut, None
        self.proxy.begin_to_break()
        if cut is Cut.UNANSWERED:
            self.is_deaf = True
            self.server.write(message)
            return
        if cut is Cut.HALFWAY:
            self.server.write(message[: len(message) // 2])
        if cut is Cut.UNCOMMITTED:
            # Without the Sync that would follow, what was executed is never committed.
            self.is_deaf = True
            self.server.write(message + FLUSH)
            await self.proxy.heard.wait()
        self.hang_up()

    def _note(self, kind: bytes, message: bytes) -> None:
        if kind == PARSE:
            name, _, statement = message[HEAD:].partition(b"\x00")
            self.statements[name] = statement
        elif kind == BIND:
            _, name, _ = message[HEAD:].split(b"\x00", 2)
            self.bound = self.statements[name]
        elif kind == QUERY:
            self.in_transaction = message[HEAD:].upper().startswith(b"BEGIN")

    async def carry_answers(self, reader: asyncio.StreamReader) -> None:
        """Carry answers until the server hangs up: then it has let go of every lock."""
        unheard = b""
        while chunk := await reader.read(CHUNK):
            if not self.is_deaf:
                self.client.write(chunk)
                continue
            self.proxy.heard.set()
            messages, unheard = split_messages(unheard + chunk)
            if any(kind == READY for kind, _ in messages):
                self.hang_up()

    def hang_up(self) -> None:
        """Cut the client off, and let the server find out."""
        if not self.is_cut:
            self.is_cut = True
            self.client.transport.abort()
            self.server.write_eof()


class Proxy:
    """Listens on a port of its own. Set `cut` to break the next call; `settled` is set when the server knows.

    Only statements with the mark in them break: the driver asks the server some questions of its own.
    """

    def __init__(self, host: str, port: int, *, mark: str) -> None:
        self._target = host, port
        self.mark = mark.encode()
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut: Cut | None = None
        self.is_broken = False
        self.heard = asyncio.Event()
        self.settled = asyncio.Event()

    @property
    def port(self) -> int:
        assert self._listener is not None
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def start(self) -> Self:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def stop(self) -> None:
        assert self._listener is not None
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin_to_break(self) -> None:
        self.is_broken = True
        self.heard.clear()
        self.settled.clear()

    async def _serve(self, client_reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        server_reader, server = await asyncio.open_connection(*self._target)
        wire = Wire(self, client, server)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(carry(wire.carry_questions(client_reader), wire))
                both.create_task(carry(wire.carry_answers(server_reader), wire))
        finally:
            server.close()
            client.close()
            self.settled.set()
            self._tasks.discard(task)


async def carry(work: Coroutine[Any, Any, None], wire: Wire) -> None:
    """Carry messages one way until that end hangs up."""
    with suppress(asyncio.IncompleteReadError, OSError):
        await work
    with suppress(OSError):
        wire.hang_up()


def split_messages(data: bytes) -> tuple[list[Message], bytes]:
    """Take whole messages off the front; gives the rest too."""
    messages = []
    while len(data) >= HEAD and len(data) > (size := int.from_bytes(data[1:HEAD])):
        messages.append((data[:1], data[: 1 + size]))
        data = data[1 + size :]
    return messages, data


def is_commit(kind: bytes, message: bytes) -> bool:
    return kind == QUERY and message[HEAD:].upper().startswith(b"COMMIT")
