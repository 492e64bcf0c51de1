"""Where a handle was opened. Its sockets belong to one process and one event loop, and to no other."""

import asyncio
import os

from dibs.errors import StoreError


class Home:
    """The process and the event loop in which a handle was opened."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._process = os.getpid()
        self._loop = asyncio.get_running_loop()

    def check(self) -> None:
        """Refuse to be used from elsewhere."""
        if self._process != os.getpid():
            # Not even closed: the parent's event loop watches the same sockets.
            where, advice = "in another process, before a fork", "Open the store again in this one"
        elif self._loop is not asyncio.get_running_loop():
            where, advice = "in another event loop", "Open one for each loop"
        else:
            return
        message = f"this handle on PostgreSQL at {self._shown} was opened {where}. {advice}. Nothing was done."
        raise StoreError(message)
