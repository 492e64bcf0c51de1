"""The gatekeeper on the store of tables."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from dibs.access import store
from dibs.access.directory import Directory
from dibs.access.model import ApiKey
from dibs.access.principal import Principal
from dibs.access.secrets import digest_of, is_key_shaped, is_same
from dibs.errors import StoreError
from dibs.storage.sight import INSTALLATION, sight_of

# A revoked key must be dead within a second in every process; the rest of the second is for the request under way.
REMEMBERED_SECONDS = 0.5
MOST_REMEMBERED = 10_000
LONGEST_COOKIE = 200
_Name = tuple[str, str]


class StoreGatekeeper:
    """Recognises keys and sessions. What it found it remembers for half a second, and no refusal at all."""

    def __init__(self, directory: Directory, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._timer = timer
        self._remembered: dict[_Name, tuple[float, Principal]] = {}
        self._asking: dict[_Name, asyncio.Task[Principal | None]] = {}
        self._notes: set[asyncio.Task[None]] = set()

    async def authenticate_key(self, secret: str) -> Principal | None:
        """Recognise an API key."""
        return await self._recognise(secret, self._find_key) if is_key_shaped(secret) else None

    async def authenticate_session(self, cookie: str, *, is_use: bool = True) -> Principal | None:
        """Recognise the session of a user of the dashboard; one that is only looked at ends as if it were not."""
        is_usable = 0 < len(cookie) <= LONGEST_COOKIE and cookie.isascii() and cookie.isprintable()
        find = self._find_session if is_use else self._look_at_session
        return await self._recognise(cookie, find) if is_usable else None

    async def settle(self) -> None:
        """Wait for what is still being asked and noted, before the tables are closed."""
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        await asyncio.gather(*self._notes)

    async def _recognise(
        self, secret: str, find: Callable[[str], Coroutine[Any, Any, Principal | None]]
    ) -> Principal | None:
        digest = digest_of(secret)
        # By what was asked, too: a look must not stand for a use, which is noted.
        name = (find.__name__, digest)
        began = self._timer()
        until, known = self._remembered.get(name, (began, None))
        if known is not None and began < until:
            return known
        asking = self._asking.get(name)
        if asking is None:
            asking = self._asking[name] = asyncio.create_task(self._ask(name, find(digest)))
            # Looked at, so that nobody is warned when all who asked have left.
            asking.add_done_callback(lambda done: None if done.cancelled() else done.exception())
        # Shielded: others may wait for the same answer.
        return await asyncio.shield(asking)

    async def _ask(self, name: _Name, finding: Coroutine[Any, Any, Principal | None]) -> Principal | None:
        """Ask the store once for all who come with the same secret meanwhile."""
        began = self._timer()
        self._remembered.pop(name, None)
        try:
            principal = await finding
        finally:
            self._asking.pop(name, None)
        if principal is not None:
            self._remember(name, principal, began)
        return principal

    def _remember(self, name: _Name, principal: Principal, began: float) -> None:
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        # From before the store was asked: what it said may be as old as that.
        self._remembered[name] = (began + REMEMBERED_SECONDS, principal)

    async def _find_key(self, digest: str) -> Principal | None:
        async with self._directory.tables.reading(sight_of(None, presented=digest)) as transaction:
            found = await store.find_presented_key(transaction, digest)
        if found is None or not is_same(found[1], digest) or not found[0].is_alive(transaction.now):
            return None
        key = found[0]
        every = self._directory.rules.use_noted_every
        if key.last_used_at is None or key.last_used_at <= transaction.now - every:
            self._note(self._note_key(key))
        return Principal(actor=f"key:{key.id}", tenant=key.tenant, scopes=frozenset(key.scopes), kind="key")

    async def _look_at_session(self, digest: str) -> Principal | None:
        return await self._find_session(digest, is_use=False)

    async def _find_session(self, digest: str, *, is_use: bool = True) -> Principal | None:
        rules = self._directory.rules
        async with self._directory.tables.reading(sight_of(None, presented=digest)) as transaction:
            found = await store.find_presented_session(transaction, digest)
        if found is None or not is_same(found["digest"], digest):
            return None
        tenant = None if found["tenant"] == INSTALLATION else found["tenant"]
        async with self._directory.tables.reading(sight_of(tenant)) as transaction:
            user = await store.find_session_user(transaction, digest, transaction.now - rules.session_idle)
        if user is None:
            return None
        if is_use and found["seen_at"] <= transaction.now - rules.use_noted_every:
            self._note(self._note_session(tenant, digest))
        return user.as_principal()

    async def _note_key(self, key: ApiKey) -> None:
        async with self._directory.tables.writing(sight_of(key.tenant)) as transaction:
            await store.note_key_use(transaction, key.id, self._directory.rules.use_noted_every)

    async def _note_session(self, tenant: str | None, digest: str) -> None:
        async with self._directory.tables.writing(sight_of(tenant)) as transaction:
            await store.note_session_use(transaction, digest)

    def _note(self, work: Coroutine[Any, Any, None]) -> None:
        """Note a use beside the request: it neither waits for it, nor fails with it."""

        async def note() -> None:
            try:
                await work
            except StoreError:
                return

        task = asyncio.create_task(note())
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)
