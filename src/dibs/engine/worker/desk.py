"""What the worker does for a running handler."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from dibs.engine.audit.actions import job_subject
from dibs.engine.audit.sealing import NewEntry
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend
from dibs.engine.tasks.context import Context, SyncContext
from dibs.engine.tasks.task import Task
from dibs.engine.worker.holdings import Held, StopReason
from dibs.errors import BadInput, LeaseLost, NotSupported
from dibs.kit.money import to_cents

if TYPE_CHECKING:
    from dibs.engine.app import App

_ENTRY_FACTS = ("subject", "actor", "tenant", "reason", "detail")


class JobDesk:
    """Serves one held job."""

    def __init__(self, app: "App", backend: Backend, held: Held) -> None:
        self._app = app
        self._backend = backend
        self._held = held
        self.is_completed = False
        self._connection: Any = None

    async def report_progress(self, value: Any) -> None:
        """Keep how far the job is."""
        self._refuse_in_block("report_progress")
        await self._as_holder(self._backend.report_progress(self._held.lease, value))

    async def heartbeat(self) -> None:
        """Renew the lease now."""
        self._refuse_in_block("heartbeat")
        [holds] = await self._backend.heartbeat_jobs([self._held.lease])
        if not holds:
            self._lose()

    async def enqueue(self, task: Task[Any, Any] | str, given: Any, options: dict[str, Any]) -> Job | None:
        """Store a child of the job."""
        job = self._held.job
        name = task if isinstance(task, str) else task.name
        facts = {"tenant": job.tenant, "parent_id": job.id, "connection": self._connection, **options}
        return await self._app.enqueue(name, given, **facts)

    async def audit(self, action: str, facts: dict[str, Any]) -> None:
        """Add an entry to the audit log; in a block, with what the block commits."""
        job = self._held.job
        unknown = sorted(set(facts) - set(_ENTRY_FACTS))
        if unknown:
            message = f"ctx.audit has no {unknown[0]!r}. It has: {', '.join(_ENTRY_FACTS)}."
            raise BadInput(message)
        own = {"subject": job_subject(job.id), "actor": job.locked_by or "", "tenant": job.tenant}
        await self._backend.audit.append([NewEntry(action=action, **{**own, **facts})], connection=self._connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Commit the handler's writes and the job's completion as one."""
        if self._backend.transactions is None:
            message = "this backend has no transactions of its own (capabilities.transactions is False)."
            raise NotSupported(message)
        self._refuse_in_block("transaction")
        context = self._held.facts
        async with self._backend.transactions.begin() as connection:
            self._connection = connection
            try:
                yield connection
            finally:
                self._connection = None
            output = context.output if isinstance(context, Context | SyncContext) else None
            cost = to_cents(0 if context is None else context.cost_microcents)
            completing = self._backend.complete_job(self._held.lease, output, cost_cents=cost, connection=connection)
            await self._as_holder(completing)
        self.is_completed = True

    def _refuse_in_block(self, what: str) -> None:
        # On SQLite it would wait for the very block that waits for it.
        if self._connection is not None:
            message = f"ctx.{what} inside ctx.transaction(): do it before or after the block."
            raise BadInput(message)

    async def _as_holder(self, work: Any) -> None:
        try:
            await work
        except LeaseLost:
            self._held.stop_reason = StopReason.LOST
            if self._held.facts is not None:
                self._held.facts.cancel()
            raise

    def _lose(self) -> None:
        self._held.stop(StopReason.LOST)
        message = f"job {self._held.job.id!r} is not ours any more; stop working on it."
        raise LeaseLost(message)
