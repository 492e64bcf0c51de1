"""The first look at postings that many want at once: one question for all who wait, and one at a time goes on.

Most of many who want a posting are turned away. Each is judged by what was read after it had come, so that nobody is
refused for a claim that had ended before; but all who came while the last look was under way share the next one, and
all who waited for one before it was judged are refused with it, where what refuses it would refuse them, too.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec import Struct

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.crowds.sharing import Shared
from dibs.apps.postings.claims.named import choose_named
from dibs.apps.postings.claims.refusing import Sighted, explain, stand_of
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.claims.runs import Refusal, Rule, judge_claim
from dibs.errors import PostingConflict
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

# So many are answered by one look.
MOST_AT_ONCE = 200
# So many looks are under way at once, of several tenants; the other connections are for those who go on.
MOST_LOOKS = 2

# What these say of one claim of a posting they say of each, whoever asks; the holder alone may ask again.
_COMMON = frozenset({Rule.CLAIMED, Rule.CAP, Rule.COOL_DOWN, Rule.ROLE})

Named = tuple[str, str]


class View(Struct, frozen=True, kw_only=True):
    """What one look saw."""

    now: datetime
    postings: dict[Named, list[Sighted]]
    run_ids: frozenset[str]


class Turn:
    """The turn of one who may go on to claim a posting. `sighted`: as it was seen; None: its run is known already.

    Who waits for it hears what it was refused with, if they had come before that was read; else None.
    """

    def __init__(self, sighted: Sighted | None) -> None:
        self.sighted = sighted
        # Those who came before it was judged for the first time, for the second, and so on.
        self._waiting = [_promise()]

    async def wait(self) -> Refusal | None:
        """Wait until it is over."""
        awaited = self._waiting[-1]
        # Not the future itself: who leaves would take it along.
        await asyncio.wait([awaited])
        return awaited.result()

    def begin_judging(self) -> None:
        """Say that what decides is read from now on: it is too old for whoever comes later."""
        self._waiting.append(_promise())

    def end(self, error: PostingConflict | None) -> None:
        """Let those who wait go on, or be refused with this one."""
        *early, late = self._waiting
        refusal = None if error is None else _read_common(error)
        for awaited in early:
            awaited.set_result(refusal)
        late.set_result(None)


def _promise() -> "asyncio.Future[Refusal | None]":
    return asyncio.get_running_loop().create_future()


class Glances:
    """Turns away who asks for what somebody has, and lets one claim of a posting through at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.looks = Shared[ClaimRequest, View](self._see, most=MOST_AT_ONCE, at_once=MOST_LOOKS)
        self._busy: dict[tuple[str, Named], Turn] = {}

    @asynccontextmanager
    async def pass_by(self, tenant: str, request: ClaimRequest) -> AsyncIterator[Turn]:
        """Refuse a claim of what somebody has; else let it go on, as the only one here that claims this posting."""
        while True:
            sighted = await self.look(tenant, request)
            if sighted is None:
                # Nothing is written for a run that is known: whoever repeats a request keeps nobody waiting.
                yield Turn(None)
                return
            named = (tenant, (sighted.board, sighted.external_id))
            under_way = self._busy.get(named)
            if under_way is None:
                break
            # One before us claims it. When that one knows how it ends, all who wait are refused with it, or look again.
            refusal = await under_way.wait()
            if refusal is not None and refusal.holder != request.run_id:
                raise explain(sighted, refusal)
        async with self._taking(named, Turn(sighted)) as turn:
            yield turn

    @asynccontextmanager
    async def _taking(self, named: tuple[str, Named], turn: Turn) -> AsyncIterator[Turn]:
        self._busy[named] = turn
        refused = None
        try:
            yield turn
        except PostingConflict as error:
            refused = error
            raise
        finally:
            del self._busy[named]
            turn.end(refused)

    async def look(self, tenant: str, request: ClaimRequest) -> Sighted | None:
        """Refuse a claim of what somebody has, or of what nobody knows; else give the posting, or None: a known run."""
        return _refuse(request, await self.looks.ask(tenant, request))

    async def _see(self, tenant: str, requests: Sequence[ClaimRequest]) -> list[View]:
        named = {(one.board, one.job_id) for one in requests}
        async with self._tables.reading(sight_of(tenant)) as transaction:
            view = View(
                now=transaction.now,
                postings=await store.list_sighted(transaction, named),
                run_ids=await run_store.find_known(transaction, {one.run_id for one in requests}),
            )
        return [view] * len(requests)


def _refuse(request: ClaimRequest, view: View) -> Sighted | None:
    if request.run_id in view.run_ids:
        # It was asked for before: whoever looks closely tells.
        return None
    sighted = choose_named(view.postings[request.board, request.job_id], request.job_id, request.board)
    refusal = judge_claim(stand_of(sighted), view.now)
    if refusal is not None:
        raise explain(sighted, refusal)
    return sighted


def _read_common(error: PostingConflict) -> Refusal | None:
    """Give what a claim was refused with, if it concerns all others of the same posting."""
    if error.rule not in _COMMON or error.holder is None:
        return None
    return Refusal(rule=Rule(error.rule), holder=error.holder, retry_at=error.retry_at)
