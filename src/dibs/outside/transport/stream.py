"""A body as it comes in: counted, unpacked and timed."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

import httpx

from dibs.errors import BodyTooLarge, FetchTimeout
from dibs.outside.transport.faults import TRANSLATED, explain
from dibs.outside.transport.rules import Limits
from dibs.outside.transport.target import Target
from dibs.outside.transport.unpacking import Unpacker


class GuardedStream(httpx.AsyncByteStream):
    """Gives the unpacked body in pieces, and ends with an error where a limit is passed."""

    def __init__(self, wire: Any, unpacker: Unpacker, target: Target, limits: Limits, deadline: float) -> None:
        self._wire = wire
        self._unpacker = unpacker
        self._target = target
        self._limits = limits
        self._deadline = deadline
        self._began_at = asyncio.get_running_loop().time()
        self._on_wire = 0
        self._unpacked = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for packed in self._read_wire(aiter(self._wire)):
            for plain in self._unpacker.feed(packed):
                self._unpacked += len(plain)
                self._check_size(self._unpacked, self._limits.body_bytes, "unpacked")
                yield plain
        self._unpacker.finish()

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._wire.aclose()

    async def _read_wire(self, pieces: AsyncIterator[bytes]) -> AsyncIterable[bytes]:
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    packed = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError as cause:
                raise too_slow(self._target, self._limits) from cause
            except TRANSLATED as error:
                raise explain(error, self._target) from error
            self._on_wire += len(packed)
            self._check_size(self._on_wire, self._limits.wire_bytes, "on the wire")
            self._check_pace()
            yield packed

    def _check_size(self, size: int, limit: int, where: str) -> None:
        if size > limit:
            message = f"{self._target.origin} sends more than {limit:,} bytes {where}. Raise the limit if it is meant."
            raise BodyTooLarge(message)

    def _check_pace(self) -> None:
        seconds = asyncio.get_running_loop().time() - self._began_at
        is_patient = seconds <= self._limits.patience.total_seconds()
        if not is_patient and self._on_wire < seconds * self._limits.slowest_bytes_per_second:
            message = f"{self._target.origin} sent {self._on_wire} bytes in {seconds:.0f} s. Try again later."
            raise FetchTimeout(message)


def too_slow(target: Target, limits: Limits) -> FetchTimeout:
    """Say that the whole took too long."""
    return FetchTimeout(f"{target.origin} took longer than {limits.total.total_seconds():g} s. Try again later.")
