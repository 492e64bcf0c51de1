"""Closing a connection on which somebody still sends, so that the answer reaches them."""

import asyncio
from collections.abc import Callable
from typing import Any

# So much longer, and so many bytes, is whoever was refused heard out.
LONGEST = 5.0
MOST_BYTES = 64 * 1024 * 1024


class Farewell:
    """A transport that says what it has to say and hears the other side out before it closes.

    A socket that is closed with something unread resets its connection, and the other side loses the answer: whoever
    uploads too much would learn of a broken pipe, not of the limit.
    """

    def __init__(self, transport: asyncio.Transport, is_sending: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_sending = is_sending
        self._patience: asyncio.TimerHandle | None = None
        self._heard = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    @property
    def is_leaving(self) -> bool:
        """Tell whether all was said, and what comes is heard for politeness alone."""
        return self._patience is not None

    def is_closing(self) -> bool:
        """Tell whether nothing more can be said."""
        return self.is_leaving or self._transport.is_closing()

    def close(self) -> None:
        """Close at once, or when the other side has stopped sending; asked a second time, at once."""
        if self.is_closing() or not self._is_sending():
            self.end()
            return
        self._patience = asyncio.get_running_loop().call_later(LONGEST, self._transport.close)
        self._transport.write_eof()
        self._transport.resume_reading()

    def hear(self, data: bytes) -> None:
        """Hear what nobody will read."""
        self._heard += len(data)
        if self._heard > MOST_BYTES:
            self.end()

    def end(self) -> None:
        """Close now."""
        if self._patience is not None:
            self._patience.cancel()
        self._transport.close()
