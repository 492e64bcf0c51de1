"""The memory backend under test."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Any

from dibs.assembly import make_backend
from dibs.backends.memory import build_parts
from dibs.engine.store.backend import Backend
from dibs.errors import NotSupported
from dibs.kit.clock import utc_now
from dibs.settings import Settings


class MemoryStore:
    """One world; every handle sees it. Its clock runs, and can be moved or made to stand still."""

    def __init__(self, *, frozen_at: datetime | None = None) -> None:
        self._frozen_at = frozen_at
        self._ahead = timedelta(0)
        self._parts = build_parts(self.now)

    def now(self) -> datetime:
        """Tell the store's time."""
        return (self._frozen_at or utc_now()) + self._ahead

    async def open(self, **settings: Any) -> Backend:
        """Open another handle."""
        return make_backend(self._parts, Settings(**settings))

    async def advance(self, span: timedelta) -> None:
        """Move the clock."""
        self._ahead += span

    async def reset(self) -> None:
        """Begin anew."""
        self._ahead = timedelta(0)
        self._parts = build_parts(self.now)

    async def close(self) -> None:
        """Nothing to let go of."""

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Memory has none."""
        message = "the memory backend has no transactions"
        raise NotSupported(message)
