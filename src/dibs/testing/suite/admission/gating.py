"""Gates: pauses that are kept in the store and decided at claim."""

from datetime import timedelta
from typing import Any

import pytest

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import LEASE, MINUTE, SECOND, Ground, audit_of, claim_ids, store, store_and_claim

SCOPES = {
    GateScope.TENANT: "acme",
    GateScope.QUEUE: "slow",
    GateScope.JOB_TYPE: "crawl",
    GateScope.SOURCE: "ebay",
}
SHUT = (GateMode.DRAIN, GateMode.CLOSED)


async def shut(backend: Backend, scope: GateScope = GateScope.GLOBAL, name: str = "", **facts: Any) -> None:
    """Shut a gate."""
    gate = Gate(scope=scope, name=name, **{"mode": GateMode.DRAIN, **facts})
    await backend.admission.set_rule(gate, actor="op", reason="repairs")


async def reopen(backend: Backend, scope: GateScope = GateScope.GLOBAL, name: str = "") -> None:
    """Open a gate."""
    gate = Gate(scope=scope, name=name, mode=GateMode.OPEN)
    await backend.admission.set_rule(gate, actor="op", reason="done")


class Gating(Ground):
    """Who may start at all."""

    @pytest.mark.parametrize("mode", SHUT)
    async def test_behind_the_global_gate_nothing_starts(self, backend: Backend, mode: GateMode) -> None:
        await store(backend, "plain")
        await store(backend, "bound", source="ebay", concurrency_key="k", tenant="acme")
        await shut(backend, mode=mode)
        assert await claim_ids(backend) == []
        await reopen(backend)
        assert await claim_ids(backend) == ["plain", "bound"]

    @pytest.mark.parametrize("mode", SHUT)
    @pytest.mark.parametrize("scope", SCOPES)
    async def test_a_gate_holds_back_what_it_stands_before_and_nothing_else(
        self, backend: Backend, scope: GateScope, mode: GateMode
    ) -> None:
        await store(backend, "held", **{scope.value: SCOPES[scope]})
        await store(backend, "free")
        await store(backend, "other", **{scope.value: "other"})
        await shut(backend, scope, SCOPES[scope], mode=mode)
        assert await claim_ids(backend) == ["free", "other"]
        await store(backend, "held too", **{scope.value: SCOPES[scope]})
        assert await claim_ids(backend) == []
        await reopen(backend, scope, SCOPES[scope])
        assert await claim_ids(backend) == ["held", "held too"]

    async def test_a_job_behind_a_gate_costs_neither_attempt_nor_history(self, backend: Backend) -> None:
        await shut(backend)
        await store(backend, "job")
        for _ in range(3):
            assert await claim_ids(backend) == []
        waiting = await backend.get_job("job")
        assert (waiting.state, waiting.attempts, waiting.lease_token) == (State.PENDING, 0, 0)
        assert await backend.reader.list_attempts("job") == []

    async def test_a_handle_that_is_opened_later_obeys_the_gate(self, backend: Backend, harness: StoreHarness) -> None:
        await store(backend, "job")
        await shut(backend)
        async with await harness.open(worker_id="worker-2") as later:
            assert await claim_ids(later) == []
            await reopen(later)
        assert await claim_ids(backend) == ["job"]

    async def test_behind_a_closed_gate_a_holder_may_still_complete(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        await shut(backend, mode=GateMode.CLOSED)
        await backend.complete_job(job.lease, {"ok": True})
        assert (await backend.get_job("job")).state is State.SUCCEEDED

    async def test_behind_a_closed_gate_storing_cancelling_and_retrying_go_on(self, backend: Backend) -> None:
        await shut(backend, mode=GateMode.CLOSED)
        await store(backend, "job")
        await backend.cancel_job("job", actor="op", reason="no")
        await backend.retry_job("job", actor="op", reason="yes")
        assert (await backend.get_job("job")).state is State.PENDING

    async def test_jobs_of_vanished_workers_are_reclaimed_behind_a_gate(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        await store_and_claim(backend)
        await shut(backend, mode=GateMode.CLOSED)
        await harness.advance(LEASE + SECOND)
        assert len(await backend.reap_jobs()) == 1
        assert await claim_ids(backend) == []

    async def test_a_gate_opens_by_itself_when_it_expires(self, backend: Backend, harness: StoreHarness) -> None:
        await store(backend, "job")
        await shut(backend, expires_at=await backend.reader.now() + MINUTE)
        assert await claim_ids(backend) == []
        await harness.advance(MINUTE + SECOND)
        assert await backend.admission.list_gates() == []
        assert await claim_ids(backend) == ["job"]

    async def test_opening_the_global_gate_leaves_a_smaller_one_shut(self, backend: Backend) -> None:
        await store(backend, "held", queue="slow")
        await store(backend, "free")
        await shut(backend, GateScope.QUEUE, "slow")
        await shut(backend)
        await reopen(backend)
        assert await claim_ids(backend) == ["free"]

    async def test_a_gate_tells_who_shut_it_when_and_why(self, backend: Backend) -> None:
        before = await backend.reader.now()
        await shut(backend, GateScope.TENANT, "acme", mode=GateMode.CLOSED, expires_at=before + timedelta(hours=1))
        [gate] = await backend.admission.list_gates()
        assert (gate.scope, gate.name, gate.mode) == (GateScope.TENANT, "acme", GateMode.CLOSED)
        assert (gate.actor, gate.reason, gate.expires_at) == ("op", "repairs", before + timedelta(hours=1))
        assert gate.set_at is not None
        assert gate.set_at >= before

    async def test_shutting_and_opening_are_in_the_audit_log_with_before_and_after(self, backend: Backend) -> None:
        await shut(backend, GateScope.TENANT, "acme")
        await shut(backend, GateScope.TENANT, "acme", mode=GateMode.CLOSED)
        await reopen(backend, GateScope.TENANT, "acme")
        shut_one, closed, opened = await audit_of(backend, "gate:tenant:acme")
        assert [one.action for one in (shut_one, closed, opened)] == ["GATE_SHUT", "GATE_SHUT", "GATE_OPENED"]
        assert {(one.actor, one.tenant) for one in (shut_one, closed, opened)} == {("op", "acme")}
        assert shut_one.detail["before"] is None
        assert closed.detail["before"] == shut_one.detail["after"]
        assert (closed.detail["after"]["mode"], opened.detail["after"]) == ("closed", None)
        assert opened.reason == "done"

    async def test_a_gate_that_cannot_be_is_refused(self, backend: Backend) -> None:
        wrong = [(GateScope.GLOBAL, "x", GateMode.DRAIN), (GateScope.QUEUE, "", GateMode.DRAIN), ("door", "", "ajar")]
        for scope, name, mode in wrong:
            gate = Gate(scope=scope, name=name, mode=mode)  # type: ignore[arg-type]
            with pytest.raises(BadInput):
                await backend.admission.set_rule(gate, actor="op", reason="why")
        assert await backend.admission.list_rules() == []

    async def test_a_gate_given_in_words_is_the_gate_they_mean(self, backend: Backend) -> None:
        await store(backend, "job")
        for scope, name in (("global", ""), ("queue", "default")):
            gate = Gate(scope=scope, name=name, mode="closed")  # type: ignore[arg-type]
            await backend.admission.set_rule(gate, actor="op", reason="why")
        assert [(one.scope, one.mode) for one in await backend.admission.list_gates()] == [
            (GateScope.GLOBAL, GateMode.CLOSED),
            (GateScope.QUEUE, GateMode.CLOSED),
        ]
        assert await claim_ids(backend) == []

    async def test_a_gate_that_is_opened_has_no_end(self, backend: Backend) -> None:
        await shut(backend)
        with pytest.raises(BadInput, match="has no end"):
            await shut(backend, mode=GateMode.OPEN, expires_at=await backend.reader.now() + MINUTE)
        assert [gate.mode for gate in await backend.admission.list_gates()] == [GateMode.DRAIN]

    async def test_jobs_behind_a_tenants_gate_are_passed_by_those_of_others(self, backend: Backend) -> None:
        await backend.store_jobs([Job(id=f"held-{n}", job_type="test", tenant="acme", priority=9) for n in range(50)])
        await store(backend, "free", tenant="zeta")
        await shut(backend, GateScope.TENANT, "acme")
        assert await claim_ids(backend) == ["free"]
        await store(backend, "free too", tenant="zeta")
        assert await claim_ids(backend, limit=1) == ["free too"]
