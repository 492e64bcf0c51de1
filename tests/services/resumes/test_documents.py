"""Documents of a tenant that has a key are encrypted, each under its own."""

import pytest

from dibs.errors import BadInput, Undecipherable
from dibs.kit.keyring import Keyring
from dibs.kit.secret import Secret
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
