"""What an operator may do, and that it is written down."""

from datetime import timedelta

import msgspec
import pytest

from dibs.engine.audit.actions import JobAction, job_subject
from dibs.engine.failure import FailureKind
from dibs.engine.job import AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import CancelVerdict, OperatorAct, PruneRequest, RetryVerdict, UniqueRule, UniqueWhile
from dibs.engine.store.operating import Act, AllThatFit, move_all
from dibs.engine.store.reading import JobFilter
from dibs.errors import BadInput, JobConflict, JobNotFound, UniqueKeyTaken
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import (
    MINUTE,
    SECOND,
    Ground,
    audit_of,
    claim,
    claim_ids,
    failure,
    store,
    store_and_claim,
)

ACT = {"actor": "olga", "reason": "asked by support"}


async def finish(backend: Backend, job_id: str, **fields: object) -> None:
    """Store a job and complete it."""
    job = await store_and_claim(backend, job_id, **fields)
    await backend.complete_job(job.lease)


class Operating(Ground):
    """Cancel, retry, prune."""

    async def test_a_waiting_job_can_be_cancelled(self, backend: Backend) -> None:
        await store(backend, "job")
        await backend.cancel_job("job", **ACT)
        job = await backend.get_job("job")
        assert job.state is State.CANCELLED
        assert job.finished_at is not None
        assert await claim_ids(backend) == []
        assert await backend.reader.list_attempts("job") == []

    async def test_a_delayed_and_a_retryable_job_can_be_cancelled(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await backend.store_job(Job(id="delayed", job_type="test"), delay=MINUTE)
        job = await store_and_claim(backend, "retryable")
        await backend.fail_job(failure(job, retry_in=MINUTE))
        verdicts = await backend.cancel_jobs(["retryable", "missing", "delayed"], **ACT)
        assert verdicts == [CancelVerdict.CANCELLED, CancelVerdict.MISSING, CancelVerdict.CANCELLED]
        await harness.advance(2 * MINUTE)
        assert await claim_ids(backend) == []

    async def test_a_running_job_can_be_cancelled_and_its_attempt_is_kept(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await backend.cancel_job("job", **ACT)
        cancelled = await backend.get_job("job")
        assert (cancelled.state, cancelled.locked_by, cancelled.attempts) == (State.CANCELLED, "worker-1", 0)
        assert cancelled.lease_token > job.lease_token
        [attempt] = await backend.reader.list_attempts("job")
        assert (attempt.outcome, attempt.token) == (AttemptOutcome.CANCELLED, job.lease_token)

    async def test_a_cancel_is_in_the_audit_log_with_actor_and_reason(self, backend: Backend) -> None:
        await store_and_claim(backend, tenant="acme")
        await backend.cancel_job("job", **ACT)
        [entry] = await audit_of(backend, "job:job")
        assert (entry.action, entry.actor, entry.reason) == ("JOB_CANCELLED", "olga", "asked by support")
        assert (entry.tenant, entry.detail) == ("acme", {"before": "running", "after": "cancelled"})
        assert entry.token == (await backend.get_job("job")).lease_token

    async def test_a_finished_job_cannot_be_cancelled(self, backend: Backend) -> None:
        await finish(backend, "done")
        with pytest.raises(JobConflict, match="done"):
            await backend.cancel_job("done", **ACT)
        with pytest.raises(JobNotFound, match="nowhere"):
            await backend.cancel_job("nowhere", **ACT)
        assert len(await audit_of(backend, "job:done")) == 1

    async def test_a_failed_job_can_be_retried_with_a_clean_slate(self, backend: Backend) -> None:
        job = await store_and_claim(backend, max_retries=1, priority=3, input={"n": 1})
        await backend.report_progress(job.lease, "half")
        await backend.fail_job(failure(job, kind=FailureKind.PERMANENT, cost_microcents=7))
        failed = await backend.get_job("job")
        await backend.retry_job("job", **ACT)
        fresh = await backend.get_job("job")
        assert (fresh.state, fresh.attempts, fresh.worker_deaths) == (State.PENDING, 0, 0)
        assert (fresh.output, fresh.error, fresh.progress, fresh.started_at, fresh.finished_at) == (None,) * 5
        assert (fresh.priority, fresh.input, fresh.cost_microcents) == (3, {"n": 1}, 7)
        assert fresh.created_at == failed.created_at
        assert fresh.lease_token > failed.lease_token
        again = await claim(backend)
        assert await backend.fail_job(failure(again)) is State.RETRYABLE
        assert len(await backend.reader.list_attempts("job")) == 2

    async def test_a_retry_is_in_the_audit_log(self, backend: Backend) -> None:
        await store(backend, "job")
        await backend.cancel_job("job", **ACT)
        await backend.retry_job("job", actor="otto", reason="mistake")
        entry = (await audit_of(backend, "job:job"))[-1]
        assert (entry.action, entry.actor, entry.reason) == ("JOB_RETRIED", "otto", "mistake")
        assert entry.detail == {"before": "cancelled", "after": "pending"}

    async def test_a_retried_job_is_claimable_in_its_old_place(self, backend: Backend) -> None:
        await store(backend, "old")
        await store(backend, "new")
        await backend.cancel_job("old", **ACT)
        await backend.retry_job("old", **ACT)
        assert await claim_ids(backend) == ["old", "new"]

    async def test_only_failed_and_cancelled_jobs_can_be_retried(self, backend: Backend) -> None:
        await finish(backend, "done")
        await store(backend, "waiting")
        await store(backend, "cancelled")
        await backend.cancel_job("cancelled", **ACT)
        verdicts = await backend.retry_jobs(["done", "cancelled", "waiting", "missing"], **ACT)
        expected = [RetryVerdict.NOT_REVIVABLE, RetryVerdict.RETRIED, RetryVerdict.NOT_REVIVABLE, RetryVerdict.MISSING]
        assert verdicts == expected
        with pytest.raises(JobConflict):
            await backend.retry_job("done", **ACT)
        with pytest.raises(JobNotFound):
            await backend.retry_job("missing", **ACT)

    async def test_a_retry_onto_a_taken_key_is_refused(self, backend: Backend) -> None:
        for job_id in ("first", "second"):
            await store(backend, job_id, unique_key="key")
            await backend.cancel_job(job_id, **ACT)
        verdicts = await backend.retry_jobs(["first", "second"], **ACT)
        assert verdicts == [RetryVerdict.RETRIED, RetryVerdict.KEY_TAKEN]
        with pytest.raises(UniqueKeyTaken):
            await backend.retry_job("second", **ACT)
        assert (await backend.get_job("second")).state is State.CANCELLED
        rule = UniqueRule(hold=UniqueWhile.UNFINISHED)
        assert await backend.store_job(Job(id="third", job_type="test", unique_key="key"), unique=rule) is None

    async def test_an_operator_needs_a_name_and_a_reason(self, backend: Backend) -> None:
        await store(backend, "job")
        for actor, reason in (("", "why"), ("olga", ""), ("olga", "   ")):
            with pytest.raises(BadInput):
                await backend.cancel_job("job", actor=actor, reason=reason)
        assert (await backend.get_job("job")).state is State.PENDING

    async def test_old_finished_jobs_are_forgotten_oldest_first(self, backend: Backend, harness: StoreHarness) -> None:
        for job_id in ("a", "b", "c"):
            await finish(backend, job_id)
            await harness.advance(MINUTE)
        assert await backend.prune_jobs(PruneRequest(older_than=90 * SECOND, limit=1)) == 1
        assert await backend.find_job("a") is None
        assert await backend.prune_jobs(PruneRequest(older_than=90 * SECOND)) == 1
        assert await backend.find_job("b") is None
        assert (await backend.get_job("c")).state is State.SUCCEEDED
        assert await backend.reader.list_attempts("a") == []

    async def test_a_dry_run_only_counts(self, backend: Backend, harness: StoreHarness) -> None:
        await finish(backend, "a")
        await harness.advance(MINUTE)
        assert await backend.prune_jobs(PruneRequest(older_than=SECOND, dry_run=True)) == 1
        assert await backend.find_job("a") is not None

    async def test_pruning_keeps_to_its_filters_and_leaves_the_audit_log(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await finish(backend, "acme-mail", tenant="acme", job_type="mail")
        await finish(backend, "acme-crawl", tenant="acme", job_type="crawl")
        await finish(backend, "zeta-mail", tenant="zeta", job_type="mail")
        await store(backend, "cancelled", tenant="acme", job_type="mail")
        await backend.cancel_job("cancelled", **ACT)
        await store(backend, "waiting")
        await harness.advance(MINUTE)
        wanted = PruneRequest(
            older_than=SECOND, states=frozenset({State.SUCCEEDED}), job_types=("mail",), tenant="acme"
        )
        assert await backend.prune_jobs(wanted) == 1
        assert await backend.find_job("acme-mail") is None
        assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 4
        assert len(await audit_of(backend, "job:acme-mail")) == 1

    async def test_a_purge_by_hand_is_in_the_audit_log(self, backend: Backend, harness: StoreHarness) -> None:
        await finish(backend, "a")
        await harness.advance(MINUTE)
        act = OperatorAct(actor="olga", reason="clean-up")
        await backend.prune_jobs(PruneRequest(older_than=SECOND, tenant="default", act=act))
        await backend.prune_jobs(PruneRequest(older_than=timedelta(0), act=act))
        first, second = await audit_of(backend, "jobs")
        assert (first.action, first.actor, first.reason, first.tenant) == ("JOBS_PURGED", "olga", "clean-up", "default")
        assert (first.detail, second.detail, second.tenant) == ({"count": 1}, {"count": 0}, "*")

    async def test_finished_jobs_are_erased_by_id_and_the_log_says_so(self, backend: Backend) -> None:
        await finish(backend, "done", tenant="acme", unique_key="key")
        await store(backend, "cancelled")
        await backend.cancel_job("cancelled", **ACT)
        await finish(backend, "other")
        assert await backend.erase_jobs(["done", "missing", "cancelled"], **ACT) == [True, False, True]
        found = await backend.reader.find_jobs(["done", "cancelled", "other"])
        assert [job is not None for job in found] == [False, False, True]
        assert await backend.reader.list_attempts("done") == []
        assert (await backend.reader.count_jobs(JobFilter()))[State.SUCCEEDED] == 1
        entry = next(one for one in await audit_of(backend, "job:done") if one.action == "JOB_ERASED")
        assert (entry.actor, entry.reason, entry.tenant) == ("olga", "asked by support", "acme")
        assert await backend.erase_jobs(["done"], **ACT) == [False]
        rule = UniqueRule(hold=UniqueWhile.WINDOW, window=MINUTE)
        again = Job(id="done", job_type="test", tenant="acme", unique_key="key")
        assert await backend.store_job(again, unique=rule) is not None

    async def test_unfinished_jobs_are_not_erased(self, backend: Backend) -> None:
        await store_and_claim(backend, "running")
        await store(backend, "waiting")
        assert await backend.erase_jobs(["running", "waiting"], **ACT) == [False, False]
        assert (await backend.get_job("running")).state is State.RUNNING
        with pytest.raises(BadInput):
            await backend.erase_jobs(["running"], actor="olga", reason="")

    async def test_unfinished_jobs_cannot_be_pruned(self, backend: Backend) -> None:
        with pytest.raises(BadInput, match="pending"):
            await backend.prune_jobs(PruneRequest(older_than=SECOND, states=frozenset({State.PENDING})))

    async def test_all_jobs_that_fit_are_retried_once_a_piece_at_a_time(self, backend: Backend) -> None:
        for number in range(5):
            for queue in ("mail", "other"):
                key = "key" if queue == "mail" and number in (1, 2) else None
                job = await store_and_claim(backend, f"{queue}-{number}", queue=queue, unique_key=key)
                await backend.fail_jobs([failure(job, kind=FailureKind.PERMANENT)])
        await store(backend, "waiting", queue="mail")
        asked = AllThatFit(act=Act.RETRY, wanted=JobFilter(queue="mail"), by=OperatorAct(**ACT), most=2)
        first = await move_all(backend, asked)
        assert (first.moved, first.left) == (2, {})
        rest = await move_all(backend, msgspec.structs.replace(asked, cursor=first.next_cursor, most=9))
        assert (rest.moved, rest.left, rest.next_cursor) == (2, {RetryVerdict.KEY_TAKEN: 1}, None)
        assert await claim_ids(backend, 9) == ["mail-0", "mail-2", "mail-3", "mail-4", "waiting"]
        entries = {entry.action: entry.reason for entry in await audit_of(backend, job_subject("mail-4"))}
        assert entries[JobAction.RETRIED] == ACT["reason"]

    async def test_counting_all_that_fit_moves_none(self, backend: Backend) -> None:
        for number in range(3):
            await store(backend, f"job-{number}")
        asked = AllThatFit(act=Act.CANCEL, wanted=JobFilter(), by=OperatorAct(**ACT), is_dry=True)
        assert (await move_all(backend, asked)).moved == 3
        assert len(await claim_ids(backend, 2)) == 2
        done = await move_all(backend, msgspec.structs.replace(asked, is_dry=False))
        assert (done.moved, await claim_ids(backend, 9)) == (3, [])

    async def test_a_state_that_an_act_leads_out_of_nowhere_is_refused(self, backend: Backend) -> None:
        await store(backend, "job")
        by = OperatorAct(**ACT)
        for act, state in ((Act.RETRY, State.PENDING), (Act.CANCEL, State.FAILED), (Act.RETRY, State.SUCCEEDED)):
            with pytest.raises(BadInput, match=state):
                await move_all(backend, AllThatFit(act=act, wanted=JobFilter(states=frozenset({state})), by=by))
        with pytest.raises(BadInput):
            await move_all(backend, AllThatFit(act=Act.CANCEL, wanted=JobFilter(), by=OperatorAct(actor="", reason="")))
        assert await claim_ids(backend, 1) == ["job"]
