"""Ports of 127.0.0.1 for servers in tests."""

from __future__ import annotations

import contextlib
import itertools
import random
import socket
import sys
from collections.abc import Iterator

# Below those that outgoing connections get (Linux from 32768, macOS and Windows from 49152): with a port of
# theirs, any client may sit on it by the time a server binds it.
_QUIET = range(20_000, 32_768)


class NoPortFree(RuntimeError):
    """Every port that could be given is taken."""


@contextlib.contextmanager
def hold_port() -> Iterator[int]:
    """A port for one server, which may come and go; nobody else who looks for a free one gets it meanwhile.

    On Linux a server may bind a port that is bound already, if both sockets allow it and the other does not listen.
    Elsewhere the port is let go at once.
    """
    with _bind_free() as holder:
        # Only now: two who look for a port at the same time must not both get it.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port = holder.getsockname()[1]
        if sys.platform != "linux":
            holder.close()
        yield port


def find_free_port() -> int:
    """A port on which nobody listens, and which nobody is given unasked."""
    with _bind_free() as probe:
        return int(probe.getsockname()[1])


def _bind_free() -> socket.socket:
    first = random.SystemRandom().choice(_QUIET)
    for port in itertools.chain(range(first, _QUIET.stop), range(_QUIET.start, first)):
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            probe.close()
        else:
            return probe
    raise NoPortFree(f"no port of 127.0.0.1 from {_QUIET.start} to {_QUIET.stop - 1} is free")
