"""Promise 4: what is written through the caller's transaction happens exactly once, with the rest, or not at all."""

import asyncio

import pytest

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import UniqueRule
from dibs.errors import BadInput, DuplicateJob, LeaseLost, NotSupported
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, SECOND, Ground, audit_of, claim_ids, store, store_and_claim


class ChangeOfMindError(Exception):
    """What makes a caller roll back."""


def need_transactions(backend: Backend) -> None:
    """Leave the test if the backend declares that it has none."""
    if not backend.capabilities.transactions:
        pytest.skip("this backend declares no transactions")


class Transactions(Ground):
    """Storing and completing inside the caller's transaction."""

    async def test_a_backend_without_transactions_says_so_and_refuses(self, backend: Backend) -> None:
        if backend.capabilities.transactions:
            with pytest.raises(BadInput, match="connection"):
                await backend.store_job(Job(id="job", job_type="test"), connection=object())
        else:
            with pytest.raises(NotSupported, match="capabilities"):
                await backend.store_job(Job(id="job", job_type="test"), connection=object())
        assert await backend.find_job("job") is None

    async def test_a_job_stored_in_a_transaction_appears_with_its_commit(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        need_transactions(backend)
        async with harness.transaction() as connection:
            stored = await backend.store_job(Job(id="job", job_type="test"), connection=connection)
            assert stored is not None
            assert await backend.find_job("job") is None
        assert await claim_ids(backend) == ["job"]

    async def test_a_job_stored_in_a_transaction_vanishes_with_its_rollback(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        need_transactions(backend)
        with pytest.raises(ChangeOfMindError):
            async with harness.transaction() as connection:
                jobs = [Job(id="plain", job_type="test"), Job(id="keyed", job_type="test", unique_key="k")]
                await backend.store_jobs(jobs, unique=UniqueRule(), connection=connection)
                raise ChangeOfMindError
        assert await backend.reader.find_jobs(["plain", "keyed"]) == [None, None]
        await store(backend, "another", unique_key="k")
        assert await claim_ids(backend) == ["another"]

    async def test_a_duplicate_in_a_transaction_is_refused(self, backend: Backend, harness: StoreHarness) -> None:
        need_transactions(backend)
        await store(backend, "job")
        with pytest.raises(DuplicateJob):
            async with harness.transaction() as connection:
                await backend.store_jobs(
                    [Job(id="new", job_type="test"), Job(id="job", job_type="test")], connection=connection
                )
        assert await backend.find_job("new") is None

    async def test_a_completion_commits_with_the_callers_writes(self, backend: Backend, harness: StoreHarness) -> None:
        need_transactions(backend)
        job = await store_and_claim(backend)
        async with harness.transaction() as connection:
            await backend.complete_job(job.lease, {"n": 1}, connection=connection)
            await backend.store_job(Job(id="child", job_type="test", parent_id="job"), connection=connection)
            assert (await backend.get_job("job")).state is State.RUNNING
        assert (await backend.get_job("job")).output == {"n": 1}
        assert len(await audit_of(backend, "job:job")) == 1
        assert await claim_ids(backend) == ["child"]

    async def test_a_completion_rolled_back_never_happened(self, backend: Backend, harness: StoreHarness) -> None:
        need_transactions(backend)
        job = await store_and_claim(backend)
        with pytest.raises(ChangeOfMindError):
            async with harness.transaction() as connection:
                await backend.complete_job(job.lease, connection=connection)
                raise ChangeOfMindError
        assert (await backend.get_job("job")).state is State.RUNNING
        assert await audit_of(backend, "job:job") == []
        await backend.complete_job(job.lease)

    async def test_a_superseded_holder_cannot_commit_its_effects(self, backend: Backend, harness: StoreHarness) -> None:
        need_transactions(backend)
        job = await store_and_claim(backend)
        await backend.cancel_job("job", actor="op", reason="test")
        with pytest.raises(LeaseLost):
            async with harness.transaction() as connection:
                await backend.store_job(Job(id="effect", job_type="test"), connection=connection)
                await backend.complete_job(job.lease, connection=connection)
        assert await backend.find_job("effect") is None

    async def test_a_transaction_of_the_backends_own_commits_work_and_completion_as_one(self, backend: Backend) -> None:
        need_transactions(backend)
        assert backend.transactions is not None
        job = await store_and_claim(backend)
        async with backend.transactions.begin() as connection:
            await backend.store_job(Job(id="child", job_type="test"), connection=connection)
            await backend.complete_job(job.lease, {"n": 1}, connection=connection)
            assert await backend.find_job("child") is None
        assert (await backend.get_job("job")).output == {"n": 1}
        assert await claim_ids(backend) == ["child"]

    async def test_a_transaction_of_the_backends_own_is_undone_by_an_error(self, backend: Backend) -> None:
        need_transactions(backend)
        assert backend.transactions is not None
        job = await store_and_claim(backend)
        with pytest.raises(ChangeOfMindError):
            async with backend.transactions.begin() as connection:
                await backend.store_job(Job(id="child", job_type="test"), connection=connection)
                await backend.complete_job(job.lease, connection=connection)
                raise ChangeOfMindError
        assert await backend.find_job("child") is None
        assert (await backend.get_job("job")).state is State.RUNNING
        await backend.complete_job(job.lease)

    async def test_a_superseded_holder_cannot_commit_through_a_transaction_of_the_backends_own(
        self, backend: Backend
    ) -> None:
        need_transactions(backend)
        assert backend.transactions is not None
        job = await store_and_claim(backend)
        await backend.cancel_job("job", actor="op", reason="test")
        with pytest.raises(LeaseLost):
            async with backend.transactions.begin() as connection:
                await backend.store_job(Job(id="effect", job_type="test"), connection=connection)
                await backend.complete_job(job.lease, connection=connection)
        assert await backend.find_job("effect") is None

    async def test_heartbeats_sent_during_a_transaction_count(self, backend: Backend, harness: StoreHarness) -> None:
        need_transactions(backend)
        assert backend.transactions is not None
        job = await store_and_claim(backend)
        other = await store_and_claim(backend, "other")
        await harness.advance(LEASE + SECOND)
        async with backend.transactions.begin() as connection:
            await backend.store_job(Job(id="child", job_type="test"), connection=connection)
            beating = asyncio.create_task(backend.heartbeat_jobs([other.lease]))
            await asyncio.sleep(0.01)
            await backend.complete_job(job.lease, connection=connection)
        assert await beating == [True]
        assert await backend.reap_jobs() == []
