"""What operators and loops do to jobs from outside."""

import heapq
from collections.abc import Sequence

from dibs.backends.redis.rows import encode_error, pack
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.audit.actions import ALL_TENANTS
from dibs.engine.failure import quarantine_error
from dibs.engine.job import Lease
from dibs.engine.states import State
from dibs.engine.store.moves import (
    CancelVerdict,
    OperatorAct,
    PruneRequest,
    ReapRequest,
    Reclaimed,
    RetryVerdict,
    Rewrite,
)
from dibs.kit.clock import span_micros

# Stands for the number of deaths, which only the script knows, in the text of the error.
_DEATHS = 987_654_321
Old = tuple[int, bytes, str]


class Operating:
    """Jobs are cancelled, revived, reclaimed and forgotten here."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def cancel(self, job_ids: Sequence[str], act: OperatorAct) -> list[CancelVerdict]:
        """Move unfinished jobs to cancelled."""
        answers = await self._lines.run("moves/cancel", [act.actor, act.reason, *job_ids])
        return [CancelVerdict(answer.decode()) for answer in answers]

    async def retry(self, job_ids: Sequence[str], act: OperatorAct) -> list[RetryVerdict]:
        """Move failed and cancelled jobs to pending."""
        answers = await self._lines.run("moves/retry", [act.actor, act.reason, *job_ids])
        return [RetryVerdict(answer.decode()) for answer in answers]

    async def reap(self, request: ReapRequest) -> list[Reclaimed]:
        """Take jobs from workers that vanished."""
        before, after = encode_error(quarantine_error(_DEATHS)).split(str(_DEATHS).encode())
        answers = await self._lines.run("moves/reap", [request.limit, request.max_worker_deaths, before, after])
        return [_build_reclaimed(*answer) for answer in answers]

    async def prune(self, request: PruneRequest) -> int:
        """Forget finished jobs: find them in bounded looks, then let those go that are still the same."""
        old = [await self._find_old(request, state) for state in sorted(request.states)]
        chosen = list(heapq.merge(*old))[: request.limit]
        if request.dry_run:
            return len(chosen)
        count: int = await self._lines.run("moves/prune", _prune_arguments(request, chosen))
        return count

    async def erase(self, job_ids: Sequence[str], act: OperatorAct) -> list[bool]:
        """Forget finished jobs by id."""
        answers = await self._lines.run("moves/erase", [act.actor, act.reason, *job_ids])
        return [bool(answer) for answer in answers]

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> list[bool]:
        """Put the same payload in another form where it still stands."""
        args: list[Word] = []
        for one in rewrites:
            args += (one.job_id, one.field.value, one.before, one.after)
        answers = await self._lines.run_in_pieces("moves/rewrite", args, width=4)
        return [answer == 1 for answer in answers]

    async def _find_old(self, request: PruneRequest, state: State) -> list[Old]:
        old: list[Old] = []
        rank = 0
        while rank >= 0 and len(old) < request.limit:
            args = _look_arguments(request, state, rank, request.limit - len(old))
            found, rank = await self._lines.run("reading/find_old", args, is_write=False)
            pairs = zip(found[::2], found[1::2], strict=True)
            old += [(int(float(finished_at)), member, state.value) for member, finished_at in pairs]
        return old


def _look_arguments(request: PruneRequest, state: State, rank: int, most: int) -> list[Word]:
    tenant = pack(False if request.tenant is None else request.tenant)
    job_types = pack(False if request.job_types is None else request.job_types)
    return [state.value, span_micros(request.older_than), rank, most, tenant, job_types]


def _prune_arguments(request: PruneRequest, chosen: Sequence[Old]) -> list[Word]:
    act = request.act or OperatorAct(actor="", reason="")
    args: list[Word] = [act.actor, act.reason, ALL_TENANTS if request.tenant is None else request.tenant]
    for finished_at, member, state in chosen:
        args += (state, member, finished_at)
    return args


def _build_reclaimed(job_id: bytes, token: int, worker: bytes, state: bytes) -> Reclaimed:
    lease = Lease(job_id.decode(), token)
    return Reclaimed(lease=lease, worker=worker.decode(), state=State(state.decode()))
