"""Claims of free postings that come at once are written in one transaction.

Only what is plain is written so: a posting that nobody has or had, under no rule that counts other claims. Whatever
else it is, and whatever goes wrong, leaves a claim to be judged by itself.
"""

import asyncio
from collections.abc import Container, Iterable, Sequence
from datetime import timedelta

from msgspec import Struct

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.artifacts import store_apart
from dibs.apps.postings.claims.crowds.sharing import Shared
from dibs.apps.postings.claims.kinship import find_all_kin, find_near, join_kin
from dibs.apps.postings.claims.requests import ClaimRequest
from dibs.apps.postings.limits.store import list_caps
from dibs.apps.postings.records import Kin, RoleRule, Run, Tracked
from dibs.errors import StoreError, StoreUnavailable
from dibs.kit.log import get_logger
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction

log = get_logger("dibs.postings")
# So many are written at once; others wait for the file or the rows no longer than that takes.
MOST_AT_ONCE = 50
# Of so many tenants at once; the other connections are for those who look, and who go alone.
MOST_TENANTS = 2


class Begun(Struct, frozen=True, kw_only=True):
    """A run that was begun, and its posting as it was before."""

    run: Run
    posting: Tracked


class _Plan(Struct, frozen=True, kw_only=True):
    """A claim that may be written. `near`: its kin among those before it, told of only if they are given theirs."""

    request: ClaimRequest
    posting: Tracked
    akin: tuple[Kin, ...]
    near: tuple[Kin, ...]


class JointClaims:
    """Writes the claims that wait together. `pen`: who may write at once."""

    def __init__(self, tables: Tables, pen: asyncio.Semaphore, lease: timedelta) -> None:
        self._tables = tables
        self._pen = pen
        self._lease = lease
        self.shared = Shared[ClaimRequest, Begun | None](self._claim_all, most=MOST_AT_ONCE, at_once=MOST_TENANTS)

    async def claim(self, tenant: str, request: ClaimRequest) -> Begun | None:
        """Claim a posting with all others that are claimed now; None: it has to be judged by itself."""
        slim, _ = store_apart(request.artifacts)
        if slim != request.artifacts or "answers" in request.artifacts:
            return None
        return await self.shared.ask(tenant, request)

    async def _claim_all(self, tenant: str, requests: Sequence[ClaimRequest]) -> list[Begun | None]:
        try:
            plans = await self._plan(tenant, requests)
            begun = await self._write(tenant, plans) if plans else {}
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, those who have no part in it must not suffer
            # A fault of one of them, such as an id that was used at the same moment: alone, each has its own.
            log.info("postings.claims.parted", error=type(error).__name__, claims=len(requests))
            begun = {}
        return [begun.get(request.run_id) if _is_of(begun, request) else None for request in requests]

    async def _plan(self, tenant: str, requests: Sequence[ClaimRequest]) -> list[_Plan]:
        """Read what claims are judged by: while they are written, everybody else has to wait."""
        by_run = {one.run_id: one for one in reversed(requests)}
        async with self._tables.reading(sight_of(tenant)) as transaction:
            if await list_caps(transaction):
                return []
            known = await run_store.find_known(transaction, by_run)
            named = {(one.board, one.job_id): one for run_id, one in by_run.items() if run_id not in known}
            postings = await _drop_blocked(transaction, await store.list_named(transaction, named))
            akin = await find_all_kin(transaction, postings)
        before = [(one, named[one.board, one.external_id].run_id) for one in postings]
        return [
            _Plan(
                request=named[one.board, one.external_id],
                posting=one,
                akin=akin.get(one.id, ()),
                near=find_near(one, before[:place]),
            )
            for place, one in enumerate(postings)
        ]

    async def _write(self, tenant: str, plans: Sequence[_Plan]) -> dict[str, Begun]:
        async with self._pen, self._tables.writing(sight_of(tenant)) as transaction:
            free = await store.lock_free(transaction, [plan.posting.id for plan in plans])
            begun: dict[str, Begun] = {}
            for plan in plans:
                if free.get(plan.posting.id) == plan.posting.token:
                    begun[plan.request.run_id] = _begin(transaction, plan, begun)
            if not begun:
                return {}
            await run_store.add_runs(transaction, [one.run for one in begun.values()])
            taken = [one.posting.id for one in begun.values()]
            if await store.take_free(transaction, taken, transaction.now + self._lease) != len(taken):
                raise StoreError("postings that were locked are not as they were. Nothing was changed.")
        return begun


def _is_of(begun: dict[str, Begun], request: ClaimRequest) -> bool:
    one = begun.get(request.run_id)
    return one is not None and (one.posting.board, one.posting.external_id) == (request.board, request.job_id)


async def _drop_blocked(transaction: Transaction, postings: Iterable[Tracked]) -> list[Tracked]:
    """Leave out those whose board lets nobody claim a second posting of one role."""
    blocked = await store.find_boards_of(transaction, RoleRule.BLOCK)
    return [one for one in postings if one.board not in blocked]


def _begin(transaction: Transaction, plan: _Plan, before: Container[str]) -> Begun:
    akin = join_kin((kin for kin in plan.near if kin.run_id in before), plan.akin)
    return Begun(run=plan.request.begin(plan.posting, transaction.now, akin), posting=plan.posting)
