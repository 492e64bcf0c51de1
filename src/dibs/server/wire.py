"""A connection, before there is a request: heads that come too slowly and bodies in crumbs are refused."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dibs.server.farewell import Farewell

# A chunk costs the same however little is in it: a body that comes byte by byte would hold up everybody else.
MOST_CRUMBS = 4_096
CRUMB = 256
_TOO_FINE = f"The body comes in too many small chunks. Send larger ones, of {CRUMB} bytes or more."


class Frugal(h11.Connection):
    """Counts the chunks of a body. More than some must be of some size on the average."""

    _chunks = 0
    _size = 0
    complaint: str | None = None

    def next_event(self) -> Any:
        """Read what came next."""
        event = super().next_event()
        if isinstance(event, h11.Data):
            self._count(len(event.data))
        elif isinstance(event, h11.Request):
            self._chunks = self._size = 0
        return event

    def _count(self, size: int) -> None:
        self._chunks += 1
        self._size += size
        if self._chunks > MOST_CRUMBS + self._size // CRUMB:
            self.complaint = _TOO_FINE
            raise h11.RemoteProtocolError(_TOO_FINE)


class Patient(H11Protocol):
    """Closes a connection whose head does not come whole in time: uvicorn would wait for ever."""

    conn: Frugal
    seconds: float
    head_bytes: int
    transport: Any
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin, with a connection that counts and a transport that hears out whoever still sends."""
        super().connection_made(Farewell(transport, self._is_sending))  # type: ignore[arg-type]
        self.conn = Frugal(h11.SERVER, self.head_bytes)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self.transport.is_leaving:
            self.transport.hear(data)
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._relax()
        elif self._deadline is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._relax()
        self.transport.end()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, and say why where we know it."""
        super().send_400_response(self.conn.complaint or msg)

    def _is_sending(self) -> bool:
        # After what is no HTTP, more of it may follow.
        return self.conn.their_state in {h11.SEND_BODY, h11.ERROR}

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(self.seconds, self._give_up)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def make_protocol(seconds: float, head_bytes: int) -> type[asyncio.Protocol]:
    """Make the protocol of connections whose heads must come whole within so many seconds, and be no larger."""
    return type("Patient", (Patient,), {"seconds": seconds, "head_bytes": head_bytes})
