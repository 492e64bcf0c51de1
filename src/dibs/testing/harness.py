"""What the suite needs to know of a store in order to test it."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Protocol

from dibs.engine.store.backend import Backend


class StoreHarness(Protocol):
    """A store for tests: real, empty at the beginning, with a clock that can be moved."""

    async def open(self, **settings: Any) -> Backend:
        """Open a new, independent handle on the store; `settings` go to `dibs.Settings`."""

    async def advance(self, span: timedelta) -> None:
        """Move the store's own clock, for every handle: forward, or back by a negative span."""

    async def reset(self) -> None:
        """Empty the store and set its clock right."""

    async def close(self) -> None:
        """Let go of it."""

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Open a caller's own transaction: it gives a connection, commits at the end, rolls back on an error.

        Asked only of backends whose capabilities say `transactions`.
        """
