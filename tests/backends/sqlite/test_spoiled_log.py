"""Rows of the audit log that somebody has made unreadable hide no others, and are found."""

import sqlite3

import msgspec
import pytest

from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.audit.verifying import verify_chain
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.testing.stores.sqlite import SqliteStore

ENTRIES = [NewEntry(action="EMAIL_SENT", subject=f"message:{number}", actor="mailer") for number in range(5)]
SPOILED_ENTRIES = {
    "half a document": "UPDATE dibs_audit SET detail = '{' WHERE sequence = 3",
    "bytes for a document": "UPDATE dibs_audit SET detail = x'ff' WHERE sequence = 3",
    "the end of time": "UPDATE dibs_audit SET at = 9223372036854775807 WHERE sequence = 3",
    "a word for an instant": "UPDATE dibs_audit SET at = 'soon' WHERE sequence = 3",
    "a text that is none": "UPDATE dibs_audit SET reason = CAST(x'ff41' AS TEXT) WHERE sequence = 3",
    "a number for a name": "UPDATE dibs_audit SET actor = 5, token = 'x' WHERE sequence = 3",
}
SPOILED_SEALS = {
    "bytes for a seal": "UPDATE dibs_seals SET hash = x'ff' WHERE position = 3",
    "a seal that is no text": "UPDATE dibs_seals SET hash = CAST(x'ff' AS TEXT) WHERE position = 3",
}


def spoil(store: SqliteStore, statement: str) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute(statement)
    connection.commit()
    connection.close()


async def seal_all(backend: Backend) -> int:
    entries = await backend.audit.list_unsealed(100)
    for seals in chain(entries, await backend.audit.list_heads()):
        assert await backend.audit.seal(seals)
    return len(entries)


@pytest.mark.parametrize("spoiled", SPOILED_ENTRIES | SPOILED_SEALS)
async def test_verifying_names_the_entry_that_somebody_spoiled(store: SqliteStore, backend: Backend, spoiled: str):
    await backend.audit.append(ENTRIES)
    await seal_all(backend)
    assert (await verify_chain(backend, "default")).fault is None
    spoil(store, (SPOILED_ENTRIES | SPOILED_SEALS)[spoiled])
    report = await verify_chain(backend, "default")
    assert report.fault is not None
    assert "position 3" in report.fault


@pytest.mark.parametrize("spoiled", SPOILED_ENTRIES)
async def test_the_others_can_still_be_read(store: SqliteStore, backend: Backend, spoiled: str):
    await backend.audit.append(ENTRIES)
    spoil(store, SPOILED_ENTRIES[spoiled])
    page = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=100))
    assert {entry.sequence for entry in page.items} >= {5, 4, 2, 1}
    assert msgspec.json.encode(page.items)


@pytest.mark.parametrize("spoiled", SPOILED_ENTRIES)
async def test_a_spoiled_entry_that_waits_for_its_seal_keeps_no_other_from_being_sealed(
    store: SqliteStore, backend: Backend, spoiled: str
):
    await backend.audit.append(ENTRIES)
    spoil(store, SPOILED_ENTRIES[spoiled])
    assert await seal_all(backend) == len(ENTRIES)
    assert await backend.audit.count_unsealed() == 0
