"""A gateway that says what a test tells it to: for answers that a real etcd gives only on its worst days."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
Say = tuple[int, Any]
Reply = Callable[[dict[str, Any]], Say | None]
EMPTY_LOOK = {"header": {"revision": "7"}, "succeeded": True, "responses": [{"response_range": {}}] * 2}


class FakeMember:
    """Replies by path; None is to hang up without a word. It keeps what it was asked."""

    def __init__(self, **replies: Reply | Say | None) -> None:
        self._replies: dict[str, Reply | Say | None] = {
            "look": (200, EMPTY_LOOK),
            "grant": (200, {"ID": "5"}),
            **replies,
        }
        self.asked: list[str] = []
        self.date: str | None = DATE

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().split("content-length:")[1].split()[0])
        question = json.loads(await reader.readexactly(length))
        said = self._reply(head.split()[1], question)
        if said is not None:
            writer.write(self._write(*said))
        writer.close()

    def _reply(self, path: str, question: dict[str, Any]) -> Say | None:
        kind = path.rpartition("/")[2]
        if kind == "txn" and not question["compare"]:
            kind = "look"
        self.asked.append(kind)
        reply = self._replies.get(kind, (200, {}))
        return reply(question) if callable(reply) else reply

    def _write(self, status: int, body: Any) -> bytes:
        text = body if isinstance(body, str) else json.dumps(body)
        date = f"Date: {self.date}\r\n" if self.date else ""
        head = f"HTTP/1.1 {status} X\r\n{date}Content-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        return f"{head}{text}".encode()


def trouble(message: str, code: int) -> Say:
    return 503 if code == 14 else 400, {"error": message, "message": message, "code": code}
