"""The first look at postings that many want at once: one question for all who wait, and one at a time goes on.

Most of many who want a posting are turned away. Each is judged by what was read after it had come, so that nobody is
refused for a claim that had ended before; but all who came while the last look was under way share the next one.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec import Struct

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.refusing import Sighted, explain, stand_of
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.claims.runs import judge_claim
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

# So many are answered by one look.
MOST_AT_ONCE = 200
# So many looks are under way at once, of several tenants; the other connections are for those who go on.
MOST_LOOKS = 2

Named = tuple[str, str]


class View(Struct, frozen=True, kw_only=True):
    """What one look saw."""

    now: datetime
    postings: dict[Named, Sighted]
    run_ids: frozenset[str]


class _Waiting(Struct, frozen=True, kw_only=True):
    request: ClaimRequest
    seen: "asyncio.Future[View]"


class Glances:
    """Turns away who asks for what somebody has, and lets one claim of a posting through at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._waiting: defaultdict[str, list[_Waiting]] = defaultdict(list)
        self._looking: dict[str, asyncio.Task[None]] = {}
        self._looks = asyncio.Semaphore(MOST_LOOKS)
        self._busy: dict[tuple[str, Named], asyncio.Future[None]] = {}

    @asynccontextmanager
    async def pass_by(self, tenant: str, request: ClaimRequest) -> AsyncIterator[None]:
        """Refuse a claim of what somebody has; else let it go on, as the only one here that claims this posting."""
        named = (tenant, (request.board, request.job_id))
        while True:
            self._refuse(request, await self._look(tenant, request))
            under_way = self._busy.get(named)
            if under_way is None:
                break
            # One before us claims it. When that one knows how it ends, all who wait look again.
            await asyncio.wait([under_way])
        self._busy[named] = done = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._busy[named]
            done.set_result(None)

    def _refuse(self, request: ClaimRequest, view: View) -> None:
        sighted = view.postings.get((request.board, request.job_id))
        if sighted is None or request.run_id in view.run_ids:
            # It goes by another name, or was asked for before: whoever looks closely tells.
            return
        refusal = judge_claim(stand_of(sighted), view.now)
        if refusal is not None:
            raise explain(sighted, refusal)

    async def _look(self, tenant: str, request: ClaimRequest) -> View:
        waiting = _Waiting(request=request, seen=asyncio.get_running_loop().create_future())
        self._waiting[tenant].append(waiting)
        if tenant not in self._looking:
            self._looking[tenant] = asyncio.create_task(self._look_on(tenant))
        return await waiting.seen

    async def _look_on(self, tenant: str) -> None:
        """Look until nobody waits."""
        try:
            while tenant in self._waiting:
                async with self._looks:
                    # Taken before it is read: who comes later is judged by what is read later.
                    waiting = self._waiting.pop(tenant)
                    for start in range(0, len(waiting), MOST_AT_ONCE):
                        await self._answer(tenant, waiting[start : start + MOST_AT_ONCE])
        finally:
            del self._looking[tenant]

    async def _answer(self, tenant: str, waiting: Sequence[_Waiting]) -> None:
        try:
            view = await self._see(tenant, [one.request for one in waiting])
        except Exception as error:  # noqa: BLE001 - whatever it was, each of them is told
            for one in waiting:
                if not one.seen.done():
                    one.seen.set_exception(error)
            return
        for one in waiting:
            if not one.seen.done():
                one.seen.set_result(view)

    async def _see(self, tenant: str, requests: Sequence[ClaimRequest]) -> View:
        named = {(one.board, one.job_id) for one in requests}
        async with self._tables.reading(sight_of(tenant)) as transaction:
            return View(
                now=transaction.now,
                postings={(one.board, one.external_id): one for one in await store.list_sighted(transaction, named)},
                run_ids=await run_store.find_known(transaction, {one.run_id for one in requests}),
            )
