"""The wire does to bytes what its manner says, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest

from dibs.torture.faults.wire import Manner, Wire


class Echo:
    """A server that answers with what it hears, and remembers it."""

    def __init__(self) -> None:
        self.heard = bytearray()
        self.news = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while chunk := await reader.read(65536):
                self.heard += chunk
                self.news.set()
                writer.write(chunk)
        except OSError:
            pass
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def stop(self) -> None:
        """Everybody who is connected hangs up first."""
        assert self._server is not None
        self._server.close()
        await asyncio.gather(*self._tasks)


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    server = Echo()
    yield server
    await server.stop()


@pytest.fixture
async def wire(echo: Echo) -> AsyncIterator[Wire]:
    wire = await Wire("127.0.0.1", await echo.start()).start()
    yield wire
    while Client.all:
        Client.all.pop().writer.close()
    await wire.stop()


class Client:
    all: ClassVar[list["Client"]] = []

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.all.append(self)

    @classmethod
    async def connect(cls, wire: Wire) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", wire.port))

    async def ask(self, words: bytes) -> bytes:
        self.writer.write(words)
        async with asyncio.timeout(60):
            return await self.reader.readexactly(len(words))


async def test_an_honest_wire_carries_everything(wire):
    client = await Client.connect(wire)
    words = bytes(range(256)) * 1000
    assert await client.ask(words) == words


async def test_latency_delays_both_ways(wire):
    client = await Client.connect(wire)
    loop = asyncio.get_running_loop()
    with wire.behaving(Manner(latency=0.1)):
        begin = loop.time()
        assert await client.ask(b"late") == b"late"
        assert loop.time() - begin >= 0.2


async def test_a_drip_carries_everything_in_the_end(wire):
    client = await Client.connect(wire)
    with wire.behaving(Manner(drip=7)):
        assert await client.ask(b"x" * 500) == b"x" * 500


async def test_a_silent_connection_stays_dead_and_a_new_one_is_well(wire, echo):
    client = await Client.connect(wire)
    assert await client.ask(b"before") == b"before"
    with wire.behaving(Manner(is_silent=True)):
        client.writer.write(b"unheard")
    client.writer.write(b"never heard")
    assert await (await Client.connect(wire)).ask(b"after") == b"after"
    assert bytes(echo.heard) == b"beforeafter"
    assert not client.reader.at_eof()


async def test_a_deaf_wire_lets_the_question_through_and_breaks_before_the_answer(wire, echo):
    client = await Client.connect(wire)
    with wire.behaving(Manner(is_deaf=True)):
        client.writer.write(b"commit")
        with pytest.raises(OSError):
            await read_to_the_end(client)
    assert bytes(echo.heard) == b"commit"


async def test_a_reset_breaks_whatever_is_there(wire):
    client = await Client.connect(wire)
    await client.ask(b"hello")
    assert wire.reset() == 1
    with pytest.raises(OSError):
        await read_to_the_end(client)


async def test_a_connection_is_cut_in_the_middle_of_a_question(wire, echo):
    client = await Client.connect(wire)
    with wire.behaving(Manner(cut_after=100)):
        assert await client.ask(b"a" * 80) == b"a" * 80
        client.writer.write(b"b" * 80)
        with pytest.raises(OSError):
            await read_to_the_end(client)
    assert len(echo.heard) < 160


async def test_a_closed_wire_lets_nobody_in(wire):
    client = await Client.connect(wire)
    await client.ask(b"hello")
    with wire.behaving(Manner(is_closed=True)):
        with pytest.raises(OSError):
            await read_to_the_end(client)
        newcomer = await Client.connect(wire)
        newcomer.writer.write(b"anybody?")
        with pytest.raises((OSError, EOFError)):
            await read_to_the_end(newcomer)
    assert await (await Client.connect(wire)).ask(b"again") == b"again"


async def read_to_the_end(client: Client) -> None:
    async with asyncio.timeout(60):
        if not await client.reader.read(1):
            raise EOFError
