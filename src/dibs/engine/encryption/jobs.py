"""The moves of jobs, with their payloads encrypted."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from dibs.engine.encryption.payloads import OUTPUT, PROGRESS, Payloads, Unreadable, spare_error
from dibs.engine.job import AttemptOutcome, Job, Lease
from dibs.engine.states import State
from dibs.engine.store.moves import ClaimRequest, Completion, Deferral, Failure, Progress, StoreRequest
from dibs.engine.store.protocols import JobReader, JobStore
from dibs.kit.codec import NULL, Json, decode_json
from dibs.kit.encryption.encrypted import has_ours, is_ours, spare_json
from dibs.kit.log import get_logger

log = get_logger("dibs.encryption")
# Whoever has the key may be another worker, or this one after a restart: until then it is tried this often.
SET_ASIDE_FOR = timedelta(seconds=60)
MOST_TENANTS = 20_000


class Careful:
    """The moves of jobs where no key is set: what comes out of the store encrypted is not given to a handler."""

    def __init__(self, jobs: JobStore, payloads: Payloads) -> None:
        self._jobs = jobs
        self._payloads = payloads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jobs, name)

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs."""
        stored = await self._jobs.store(_spare_request(request))
        return [
            # Hardly any input is a text, and this is asked of every job.
            self._give_back(request, place, job) if job and type(job.input) is str and is_ours(job.input) else job
            for place, job in enumerate(stored)
        ]

    def _give_back(self, request: StoreRequest, place: int, job: Job | None) -> Job | None:
        if job is None or job.id != request.jobs[place].id:
            return None if job is None else self._payloads.open_job(job)
        # What was put in just now need not be opened.
        return replace(job, input=decode_json(request.inputs[place]))

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs."""
        return await self._jobs.copy(_spare_request(request))

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""
        if has_ours([one.output for one in completions]):
            completions = [_spare_completion(one) for one in completions]
        return await self._jobs.complete(completions, connection=connection)

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        return await self._jobs.fail([replace(one, error=spare_error(one.error)) for one in failures])

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        spared = [Progress(lease=one.lease, value=Json(spare_json(one.value))) for one in reports]
        return await self._jobs.report_progress(spared)

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker; those that it cannot read wait for one that can."""
        jobs = await self._jobs.claim(request)
        for job in jobs:
            if job.input.__class__ is str or job.progress.__class__ is str or job.error is not None:
                return await self._open_all(jobs)
        return jobs

    async def _open_all(self, jobs: Sequence[Job]) -> list[Job]:
        opened = [self._payloads.open_job(job) for job in jobs]
        unreadable = [job for job in opened if isinstance(job.input, Unreadable)]
        if unreadable:
            await self._set_aside(unreadable)
        return [job for job in opened if not isinstance(job.input, Unreadable)]

    async def _set_aside(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            log.error("engine.job.unreadable", job_id=job.id, tenant=job.tenant, error=job.input["unreadable"])
        snoozes = [Deferral(lease=job.lease, delay=SET_ASIDE_FOR, outcome=AttemptOutcome.RELEASED) for job in jobs]
        await self._jobs.snooze(snoozes)


class EncryptedJobs(Careful):
    """The moves of jobs where keys are set: payloads are encrypted on their way in, and decrypted on their way out."""

    def __init__(self, jobs: JobStore, reader: JobReader, payloads: Payloads) -> None:
        super().__init__(jobs, payloads)
        self._reader = reader
        # A lease does not say whose job it is; a claim does.
        self._tenants: dict[str, str] = {}

    async def store(self, request: StoreRequest) -> list[Job | None]:
        """Store jobs."""
        stored = await self._jobs.store(close_request(self._payloads, request))
        return [self._give_back(request, place, job) for place, job in enumerate(stored)]

    async def copy(self, request: StoreRequest) -> int:
        """Store many jobs."""
        return await self._jobs.copy(close_request(self._payloads, request))

    async def claim(self, request: ClaimRequest) -> list[Job]:
        """Give due jobs to one worker."""
        jobs = await super().claim(request)
        for job in jobs:
            self._note(job)
        return jobs

    async def complete(self, completions: Sequence[Completion], *, connection: Any = None) -> list[bool]:
        """Move running jobs to succeeded."""
        await self._learn([one.lease for one in completions if one.output != NULL])
        closed = [self._close_completion(one) for one in completions]
        return await self._jobs.complete(closed, connection=connection)

    def _close_completion(self, one: Completion) -> Completion:
        tenant = self._tenants.get(one.lease.job_id)
        if one.output == NULL or tenant is None:
            return one
        output = self._payloads.close_result(one.output, tenant, one.lease.job_id, OUTPUT)
        return Completion(lease=one.lease, output=output, cost_microcents=one.cost_microcents, is_checked=True)

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        await self._learn([one.lease for one in failures])
        return await self._jobs.fail([self._close_failure(one) for one in failures])

    def _close_failure(self, one: Failure) -> Failure:
        tenant = self._tenants.get(one.lease.job_id)
        if tenant is None:
            return one
        return replace(one, error=self._payloads.close_error(one.error, tenant, one.lease.job_id))

    async def report_progress(self, reports: Sequence[Progress]) -> list[bool]:
        """Keep how far running jobs are."""
        await self._learn([one.lease for one in reports])
        return await self._jobs.report_progress([self._close_progress(one) for one in reports])

    def _close_progress(self, one: Progress) -> Progress:
        tenant = self._tenants.get(one.lease.job_id)
        if tenant is None:
            return one
        value = self._payloads.close_result(one.value, tenant, one.lease.job_id, PROGRESS)
        return Progress(lease=one.lease, value=value)

    def _note(self, job: Job) -> None:
        self._tenants[job.id] = job.tenant
        if len(self._tenants) > MOST_TENANTS:
            del self._tenants[next(iter(self._tenants))]

    async def _learn(self, leases: Sequence[Lease]) -> None:
        """Look up whose jobs these are, where this handle did not claim them. Of one that is gone, nothing is kept."""
        unknown = [lease.job_id for lease in leases if lease.job_id not in self._tenants]
        for job in await self._reader.find_jobs(unknown) if unknown else ():
            if job is not None:
                self._note(job)


def _spare_request(request: StoreRequest) -> StoreRequest:
    if not has_ours(request.inputs):
        return request
    return replace(request, inputs=[Json(spare_json(encoded)) for encoded in request.inputs])


def _spare_completion(one: Completion) -> Completion:
    output = Json(spare_json(one.output))
    if output is one.output:
        return one
    return Completion(lease=one.lease, output=output, cost_microcents=one.cost_microcents, is_checked=one.is_checked)


def close_request(payloads: Payloads, request: StoreRequest) -> StoreRequest:
    """Encrypt the inputs of jobs that are to be stored."""
    pairs = zip(request.jobs, request.inputs, strict=True)
    return replace(request, inputs=[payloads.close_input(job, encoded) for job, encoded in pairs])
