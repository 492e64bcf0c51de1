"""Documents of a tenant that has a key are encrypted, each under its own."""

import pytest

import dibs
from dibs.errors import BadInput, Undecipherable
from dibs.kit.encryption.keyring import Keyring
from dibs.kit.encryption.secret import Secret
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.resumes.holdings import DocumentsHolding

OLD, NEW = (Secret(letter * 44) for letter in "on")
DATA = b"%PDF Ada Lovelace, ada.lovelace@example.org"


def ring(*keys):
    return Keyring(keys, variable="DIBS_ENCRYPTION_KEYS")


def read_all(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_no_file_shows_what_a_document_says(tmp_path):
    documents = FolderDocuments(tmp_path, cipher=ring(OLD)).of("acme")
    key = await documents.put(DATA)
    assert await documents.put(DATA) == key
    assert b"Lovelace" not in read_all(tmp_path)
    assert await documents.get(key) == DATA


async def test_another_tenant_does_not_find_it_by_its_key(tmp_path):
    documents = FolderDocuments(tmp_path, cipher=ring(OLD))
    key = await documents.of("acme").put(DATA)
    with pytest.raises(BadInput, match="no document"):
        await documents.of("globex").get(key)


async def test_what_was_plain_before_is_still_found(tmp_path):
    key = await FolderDocuments(tmp_path).put(DATA)
    assert await FolderDocuments(tmp_path, cipher=ring(OLD)).of("acme").get(key) == DATA


async def test_a_file_copied_to_another_tenant_does_not_open(tmp_path):
    documents = FolderDocuments(tmp_path, cipher=ring(OLD))
    key = await documents.of("acme").put(DATA)
    await documents.of("globex").put(DATA)
    documents.of("globex")._own_path(key).write_bytes(documents.of("acme")._own_path(key).read_bytes())
    with pytest.raises(Undecipherable, match="moved"):
        await documents.of("globex").get(key)


async def test_a_document_is_forgotten_where_it_is_this_tenants_own(tmp_path):
    documents = FolderDocuments(tmp_path, cipher=ring(OLD))
    key = await documents.of("acme").put(DATA)
    await documents.of("globex").put(DATA)
    await documents.of("acme").forget(key)
    assert not documents.of("acme").has(key)
    assert await documents.of("globex").get(key) == DATA


async def test_documents_are_written_anew_with_the_first_key(tmp_path):
    old = FolderDocuments(tmp_path, cipher=ring(OLD))
    key = await old.of("acme").put(DATA)
    await old.of("glo/bex").put(DATA)
    found = await DocumentsHolding(None, FolderDocuments(tmp_path, cipher=ring(NEW, OLD))).renew(tenant="acme")
    assert (found.current, found.renewed, found.unreadable) == (0, 1, 0)
    found = await DocumentsHolding(None, FolderDocuments(tmp_path, cipher=ring(NEW))).renew()
    assert (found.current, found.renewed, found.unreadable) == (1, 0, 1)
    assert await FolderDocuments(tmp_path, cipher=ring(NEW)).of("acme").get(key) == DATA
    found = await DocumentsHolding(None, FolderDocuments(tmp_path, cipher=ring(Secret("plain"), NEW))).renew(
        tenant="acme"
    )
    assert found.renewed == 1
    assert await FolderDocuments(tmp_path).get(key) == DATA


async def make_app(folder, jobs, **settings):
    """Make an app whose jobs, by tenant and document, name these documents."""
    app = dibs.Dibs(f"sqlite:///{folder}/jobs.db", settings=dibs.Settings(**settings))
    backend = await app.backend()
    for tenant, key in jobs:
        await backend.store_job(dibs.Job(job_type="RESUME_PARSE", tenant=tenant, input={"document": key}))
    return app


def count(tally):
    return tally.current, tally.renewed, tally.unreadable, tally.ownerless


async def test_plain_documents_are_encrypted_for_all_whose_jobs_name_them(tmp_path):
    plain = FolderDocuments(tmp_path)
    own, shared, nobodys = [await plain.put(DATA + end) for end in (b"1", b"2", b"3")]
    jobs = [("acme", own), ("acme", own), ("acme", shared), ("globex", shared)]
    async with await make_app(tmp_path, jobs) as app:
        documents = FolderDocuments(tmp_path, cipher=ring(OLD))
        holding = DocumentsHolding(app, documents)
        assert count(await holding.renew(is_dry=True)) == (0, 3, 0, 1)
        assert documents.list_plain() == sorted([own, shared, nobodys])
        assert count(await holding.renew(tenant="acme")) == (0, 2, 0, 0)
        assert documents.list_plain() == sorted([shared, nobodys]), "globex has only the plain one"
        await holding.renew()
        assert count(await holding.renew()) == (3, 0, 0, 1)
        assert documents.list_plain() == [nobodys]
        assert await documents.of("acme").get(shared) == await documents.of("globex").get(shared) == DATA + b"2"
        assert await documents.of("acme").get(own) == DATA + b"1"


async def test_a_plain_document_stays_for_a_tenant_that_has_no_key(tmp_path):
    shared = await FolderDocuments(tmp_path).put(DATA)
    async with await make_app(tmp_path, [("acme", shared), ("globex", shared)]) as app:
        documents = FolderDocuments(tmp_path, cipher=ring(Secret(f"acme:{OLD}")))
        assert count(await DocumentsHolding(app, documents).renew()) == (1, 1, 0, 0)
        assert documents.of("acme").has_own(shared)
        assert await documents.of("globex").get(shared) == DATA


async def test_no_plain_document_goes_while_a_job_that_may_name_it_cannot_be_read(tmp_path):
    shared = await FolderDocuments(tmp_path).put(DATA)
    async with await make_app(tmp_path, [("globex", shared)], encryption_keys=(OLD,)):
        pass
    async with await make_app(tmp_path, [("acme", shared)], encryption_keys=(NEW,)) as app:
        documents = FolderDocuments(tmp_path, cipher=ring(NEW))
        assert count(await DocumentsHolding(app, documents).renew()) == (0, 0, 0, 1)
        assert documents.list_plain() == [shared]
