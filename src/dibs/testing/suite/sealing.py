"""The audit log: entries of apps, questions, and the seals."""

import pytest
from msgspec.structs import replace

from dibs.engine.audit.sealing import NewEntry, Seal, chain
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.errors import BadInput, NotJson, NotSupported
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, Ground, audit_of, store_and_claim

SENT = NewEntry(action="EMAIL_SENT", subject="message:7", actor="mailer", tenant="acme", detail={"to": "person:3"})


async def seal_all(backend: Backend) -> list[Seal]:
    """Seal the whole tail."""
    batches = chain(await backend.audit.list_unsealed(), await backend.audit.list_heads())
    for seals in batches:
        assert await backend.audit.seal(seals)
    return [seal for seals in batches for seal in seals]


class Sealing(Ground):
    """What cannot be changed afterwards without being seen."""

    async def test_an_app_adds_entries_of_its_own(self, backend: Backend) -> None:
        await backend.audit.append([SENT, replace(SENT, subject="message:8", reason="asked for")])
        [first] = await audit_of(backend, "message:7")
        assert (first.action, first.actor, first.tenant, first.detail) == (
            "EMAIL_SENT", "mailer", "acme", {"to": "person:3"},
        )  # fmt: skip
        [second] = await audit_of(backend, "message:8")
        assert (second.reason, second.sequence > first.sequence) == ("asked for", True)

    async def test_an_entry_in_the_callers_transaction_is_there_only_if_it_commits(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        if not backend.capabilities.transactions:
            with pytest.raises(NotSupported):
                await backend.audit.append([SENT], connection=object())
            return
        with pytest.raises(ZeroDivisionError):
            async with harness.transaction() as connection:
                await backend.audit.append([SENT], connection=connection)
                raise ZeroDivisionError
        assert await backend.audit.count_unsealed() == 0
        async with harness.transaction() as connection:
            await backend.audit.append([SENT], connection=connection)
        assert [entry.action for entry in await audit_of(backend, "message:7")] == ["EMAIL_SENT"]

    async def test_an_entry_that_cannot_be_kept_is_refused_and_nothing_is_added(self, backend: Backend) -> None:
        wrong = [
            replace(SENT, action=""),
            replace(SENT, action="JOB_CANCELLED"),
            replace(SENT, subject="a\nb"),
            replace(SENT, tenant=""),
        ]
        for entry in wrong:
            with pytest.raises(BadInput):
                await backend.audit.append([SENT, entry])
        with pytest.raises(NotJson):
            await backend.audit.append([SENT, replace(SENT, detail={"odd": object()})])
        assert await backend.audit.count_unsealed() == 0

    async def test_the_log_is_asked_by_actor_action_and_time(self, backend: Backend, harness: StoreHarness) -> None:
        await backend.audit.append([SENT])
        await harness.advance(MINUTE)
        middle = await backend.reader.now()
        await harness.advance(MINUTE)
        await backend.audit.append([replace(SENT, subject="message:8", actor="robot")])

        async def ask(**facts: object) -> list[str]:
            page = await backend.reader.list_audit(AuditFilter(**facts), PageRequest())  # type: ignore[arg-type]
            return [entry.subject for entry in page.items]

        assert await ask(actor="robot") == ["message:8"]
        assert await ask(action="EMAIL_SENT") == ["message:8", "message:7"]
        assert (await ask(since=middle), await ask(until=middle)) == (["message:8"], ["message:7"])
        assert await ask(since=middle, actor="mailer") == []

    async def test_what_nobody_sealed_is_the_tail(self, backend: Backend) -> None:
        job = await store_and_claim(backend, tenant="acme")
        await backend.complete_job(job.lease)
        await backend.audit.append([SENT, replace(SENT, tenant="zeta")])
        tail = await backend.audit.list_unsealed()
        assert [entry.tenant for entry in tail] == ["acme", "acme", "zeta"]
        assert (await backend.audit.count_unsealed(), await backend.audit.count_unsealed("acme")) == (3, 2)
        assert await backend.audit.list_unsealed(limit=1) == tail[:1]
        assert await backend.audit.list_heads() == []

    async def test_every_tenant_has_a_chain_of_its_own(self, backend: Backend) -> None:
        await backend.audit.append([SENT, replace(SENT, tenant="zeta"), SENT])
        seals = await seal_all(backend)
        assert [(seal.tenant, seal.position) for seal in seals] == [("acme", 1), ("acme", 2), ("zeta", 1)]
        assert await backend.audit.list_heads() == seals[1:]
        assert (await backend.audit.count_unsealed(), await seal_all(backend)) == (0, [])

    async def test_a_chain_goes_on_where_it_ended(self, backend: Backend) -> None:
        await backend.audit.append([SENT])
        await seal_all(backend)
        await backend.audit.append([SENT, SENT])
        await seal_all(backend)
        sealed = await backend.audit.list_sealed("acme")
        assert [one.seal.position for one in sealed] == [1, 2, 3]
        entries = [one.entry for one in sealed if one.entry is not None]
        assert chain(entries, []) == [[one.seal for one in sealed]]
        assert await backend.audit.list_sealed("acme", after=1, limit=1) == sealed[1:2]

    async def test_of_two_sealers_one_is_too_late(self, backend: Backend) -> None:
        await backend.audit.append([SENT, SENT])
        [seals] = chain(await backend.audit.list_unsealed(), [])
        assert await backend.audit.seal(seals[:1])
        assert not await backend.audit.seal(seals)
        assert not await backend.audit.seal([replace(seals[0], position=2)])
        assert await backend.audit.count_unsealed() == 1

    async def test_seals_with_a_gap_are_refused(self, backend: Backend) -> None:
        await backend.audit.append([SENT, SENT])
        [seals] = chain(await backend.audit.list_unsealed(), [])
        assert not await backend.audit.seal(seals[1:])
        with pytest.raises(BadInput):
            await backend.audit.seal([seals[0], replace(seals[1], tenant="zeta")])
        assert await backend.audit.count_unsealed() == 2

    async def test_entries_that_are_forgotten_leave_an_anchor(self, backend: Backend) -> None:
        await backend.audit.append([SENT] * 4 + [replace(SENT, tenant="zeta")])
        seals = await seal_all(backend)
        assert await backend.audit.forget_sealed("acme", through=2) == 2
        kept = await backend.audit.list_sealed("acme")
        assert [(one.seal.position, one.entry is None) for one in kept] == [(2, True), (3, False), (4, False)]
        assert [one.seal for one in kept] == seals[1:4]
        assert len(await backend.audit.list_sealed("zeta")) == 1
        await backend.audit.append([SENT])
        assert [seal.position for seal in await seal_all(backend)] == [5]
