"""Server-sent events: how one is written, and a stream that stays alive and ends when it should."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from dibs.errors import StoreError

HEARTBEAT_SECONDS = 15.0
_encode = msgspec.json.Encoder(decimal_format="number").encode


class StreamEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event. `id` comes back as Last-Event-ID when the reader connects again."""

    event: str
    data: Any
    id: str | None = None


def write_event(one: StreamEvent) -> bytes:
    """Write an event; JSON has no bare line breaks, so its data is one line."""
    id_line = b"" if one.id is None else f"id: {one.id}\n".encode()
    return id_line + f"event: {one.event}\ndata: ".encode() + _encode(one.data) + b"\n\n"


def stream_answer(events: AsyncIterator[StreamEvent]) -> StreamingResponse:
    """Answer with a stream of events."""
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_write_all(events), headers=headers, media_type="text/event-stream")


async def _write_all(events: AsyncIterator[StreamEvent], pause: float = HEARTBEAT_SECONDS) -> AsyncIterator[bytes]:
    """Write events as they come, and a comment when none comes for a while: proxies cut what is silent."""
    yield b": here\n\n"
    waiting: asyncio.Task[StreamEvent] | None = None
    async with aclosing(events):  # type: ignore[type-var]
        try:
            while True:
                waiting = waiting or asyncio.ensure_future(anext(events))
                done, _ = await asyncio.wait([waiting], timeout=pause)
                if not done:
                    yield b": still here\n\n"
                    continue
                try:
                    yield write_event(waiting.result())
                except StopAsyncIteration:
                    return
                waiting = None
        finally:
            if waiting is not None:
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)


async def while_known(parts: AsyncIterator[Any], is_known: Callable[[], Awaitable[bool]]) -> AsyncIterator[Any]:
    """Give a stream for as long as whoever asked for it is known: a revoked key keeps nothing open."""
    async with aclosing(parts):  # type: ignore[type-var]
        async for part in parts:
            try:
                if not await is_known():
                    return
            except StoreError:
                # Nobody can tell any more. Who connects again is told what is wrong.
                return
            yield part
