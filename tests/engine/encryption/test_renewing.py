"""What was written with another key, or with none, is written anew; and nobody notices."""

import dibs
from dibs.engine.encryption.everywhere import renew_everything
from dibs.engine.encryption.payloads import Unreadable
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.kit.encryption.secret import Secret
from tests.engine.encryption.conftest import MARKER, NEW, OLD, OTHER, dump
from tests.engine.encryption.test_payloads import FAULT, SECRET, fill

ACT = OperatorAct(actor="op", reason="a new key")
# Four inputs, an output, a progress, and an error that stands in a job and in its attempt.
PAYLOADS = 7


async def check_everything(backend, done, broken, busy):
    assert [(await backend.get_job(one.id)).input for one in (done, broken, busy)] == [SECRET] * 3
    assert (await backend.get_job(done.id)).output == {"sent": MARKER}
    assert (await backend.get_job(broken.id)).error == FAULT
    assert (await backend.reader.list_attempts(broken.id))[0].error == FAULT
    assert (await backend.get_job(busy.id)).progress == {"at": MARKER}
    assert (await backend.schedules.get("nightly")).input == SECRET


async def test_after_a_renewal_the_old_key_can_go(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        jobs = await fill(backend)
    async with await store.open(encryption_keys=(NEW, OLD)) as backend:
        dry = await renew_everything(backend, (), ACT, is_dry=True)
        assert (dry["jobs"].renewed, dry["schedules"].renewed) == (PAYLOADS, 1)
        found = await renew_everything(backend, (), ACT)
        assert (found["jobs"].renewed, found["jobs"].unreadable, found["schedules"].renewed) == (PAYLOADS, 0, 1)
        assert found["jobs"].current == dry["jobs"].current
        entry = (await backend.reader.list_audit(AuditFilter(), PageRequest(limit=1))).items[0]
        assert (entry.action, entry.actor) == ("ENCRYPTION_RENEWED", "op")
    async with await store.open(encryption_keys=(NEW,)) as backend:
        await check_everything(backend, *jobs)
        assert await backend.claim_pending_job() is None, "a job that was claimed waits again"
        await backend.complete_job(jobs[2].lease, {"done": True})
        again = await renew_everything(backend, (), ACT)
        assert (again["jobs"].renewed, again["jobs"].unreadable) == (0, 0)


async def test_what_was_plain_before_the_first_key_is_encrypted(store):
    async with await store.open() as backend:
        jobs = await fill(backend)
        assert MARKER in await dump(store)
    async with await store.open(encryption_keys=(NEW,)) as backend:
        await renew_everything(backend, (), ACT)
        assert MARKER not in await dump(store)
        await check_everything(backend, *jobs)


async def test_encryption_can_be_given_up(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        jobs = await fill(backend)
    async with await store.open(encryption_keys=(Secret("plain"), OLD)) as backend:
        await renew_everything(backend, (), ACT)
    async with await store.open() as backend:
        await check_everything(backend, *jobs)


async def test_what_cannot_be_read_is_left_as_it_is_and_told(store):
    async with await store.open(encryption_keys=(OTHER,)) as backend:
        await backend.store_job(dibs.Job(id="shut", job_type="test", input=SECRET))
    async with await store.open(encryption_keys=(NEW,)) as backend:
        await backend.store_job(dibs.Job(id="open", job_type="test", input=SECRET))
        found = (await renew_everything(backend, (), ACT))["jobs"]
        assert (found.current, found.renewed, found.unreadable) == (1, 0, 1)
        assert found.named == ["input of job 'shut'"]
        assert isinstance((await backend.get_job("shut")).input, Unreadable)
    async with await store.open(encryption_keys=(OTHER,)) as backend:
        assert (await backend.get_job("shut")).input == SECRET


async def test_a_tenant_is_renewed_alone():
    settings = dibs.Settings(encryption_keys=(NEW,))
    backend = await dibs.open_backend("memory://", settings=settings)
    for tenant in ("acme", "globex"):
        await backend.store_job(dibs.Job(job_type="test", tenant=tenant, input=SECRET))
    found = (await renew_everything(backend, (), ACT, tenant="acme"))["jobs"]
    assert found.current == 1
