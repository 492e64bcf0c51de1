"""A server on loopback that answers as a script says, well or badly, and remembers what it was asked."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

Answer = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


class Asked:
    """A request as it came in."""

    def __init__(self, line: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.path, _ = line.split(" ", 2)
        self.headers = headers
        self.body = body


class Hostile:
    """Answers each path as it was told; what it was not told about is a 404."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self.arrived = asyncio.Event()
        self._answers: dict[str, Answer] = {}
        self._talking: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def on(self, path: str, answer: Answer) -> None:
        self._answers[path] = answer

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._talking.add(task)
        try:
            while asked := await _read_request(reader):
                self.asked.append(asked)
                self.arrived.set()
                await self._answers.get(asked.path.partition("?")[0], say(404))(asked, writer)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            self._talking.discard(task)
            writer.close()

    def hang_up(self) -> None:
        for task in self._talking:
            task.cancel()


@asynccontextmanager
async def hostile_server(tls: Any = None) -> AsyncIterator[Hostile]:
    hostile = Hostile()
    server = await asyncio.start_server(hostile.serve, "127.0.0.1", 0, ssl=tls)
    hostile.port = server.sockets[0].getsockname()[1]
    try:
        yield hostile
    finally:
        hostile.hang_up()
        server.close()
        await server.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> Asked | None:
    line = (await reader.readline()).decode().strip()
    if not line:
        return None
    headers = {}
    while field := (await reader.readline()).decode().strip():
        name, _, value = field.partition(":")
        headers[name.lower()] = value.strip()
    return Asked(line, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def head(status: int, *fields: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} Word", *fields, "", ""]).encode()


def say(status: int, body: bytes = b"", *fields: str) -> Answer:
    """Answer properly."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, f"Content-Length: {len(body)}", *fields) + body)

    return answer


def redirect(location: str, status: int = 302) -> Answer:
    return say(status, b"", f"Location: {location}")


def in_turn(*answers: Answer) -> Answer:
    """Answer differently each time; the last one stays."""
    left = list(answers)

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(asked, writer)

    return answer


def raw(data: bytes, *, close: bool = True) -> Answer:
    """Answer with these bytes, whatever they are, and hang up."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if close:
            await writer.drain()
            writer.close()

    return answer


async def hang(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Say nothing, for ever."""
    await asyncio.Event().wait()


async def reset(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Break the connection without a word."""
    writer.transport.abort()


async def endless(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Send a body that never ends."""
    writer.write(head(200, "Transfer-Encoding: chunked"))
    piece = b"x" * 65_536
    while not writer.is_closing():
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()


async def trickle(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Send a body byte by byte."""
    writer.write(head(200, "Content-Length: 1000000"))
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def trickle_headers(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Send a head that never ends, slowly."""
    writer.write(b"HTTP/1.1 200 Word\r\n")
    while not writer.is_closing():
        writer.write(b"a: b\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


def bomb(unpacked: int) -> Answer:
    """Send a small gzip that grows."""
    return say(200, gzip.compress(bytes(unpacked)), "Content-Encoding: gzip")
