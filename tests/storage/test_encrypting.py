"""Columns that are declared so are encrypted where they are kept, and nobody above notices."""

import pytest
from sqlalchemy import select, update

from dibs.apps.postings.tables import ANSWERS, RUNS
from dibs.assembly import find_tables_schema
from dibs.errors import Undecipherable
from dibs.kit.keyring import Keyring
from dibs.kit.secret import Secret
from dibs.settings import Settings
from dibs.storage.renewing import TablesRenewal
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

OLD, NEW = (Secret(letter * 44) for letter in "on")
MARKER = "ada.lovelace@example.org"
ROW = {"key": "mail", "question": "Mail?", "source": "agent"}


def ring(*keys):
    return Keyring(keys, variable="DIBS_ENCRYPTION_KEYS")


@pytest.fixture
async def url(tmp_path):
    url = f"sqlite:///{tmp_path}/tables.db"
    await find_tables_schema(url, settings=Settings(tables_url=url)).migrate()
    return url


@pytest.fixture
async def kept(url):
    """Read rows as whoever has the disk could."""

    async def read():
        async with Tables.at(url) as tables, tables.reading(sight_of("acme")) as transaction:
            return [row["value"] for row in await transaction.fetch_kept(select(ANSWERS))]

    return read


async def write(url, cipher, value=MARKER, tenant="acme", digest="1"):
    async with Tables.at(url, cipher=cipher) as tables, tables.writing(sight_of(tenant)) as transaction:
        await transaction.add_if_new(ANSWERS, **ROW, value_digest=digest, value=value, noted_at=transaction.now)


async def read(url, cipher, tenant="acme"):
    async with Tables.at(url, cipher=cipher) as tables, tables.reading(sight_of(tenant)) as transaction:
        found = await transaction.find(select(ANSWERS.c.value).where(ANSWERS.c.key == "mail"))
        assert found is not None
        assert [row["value"] for row in await transaction.fetch(select(ANSWERS))][:1] == [found["value"]]
        return found["value"]


async def test_what_is_added_is_encrypted_and_read_as_it_was_given(url, kept):
    await write(url, ring(OLD))
    assert MARKER not in str(await kept())
    assert await read(url, ring(OLD)) == MARKER


async def test_what_is_changed_is_encrypted(url, kept):
    await write(url, ring(OLD))
    async with Tables.at(url, cipher=ring(OLD)) as tables, tables.writing(sight_of("acme")) as transaction:
        await transaction.change(update(ANSWERS).where(ANSWERS.c.key == "mail").values(value=f"new {MARKER}"))
    assert MARKER not in str(await kept())
    assert await read(url, ring(OLD)) == f"new {MARKER}"


async def test_without_the_key_it_is_said_what_to_do(url):
    await write(url, ring(OLD))
    for cipher in (None, ring(NEW)):
        with pytest.raises(Undecipherable, match="DIBS_ENCRYPTION_KEYS"):
            await read(url, cipher)


async def test_a_value_moved_to_another_tenant_or_column_does_not_open(url, kept):
    await write(url, ring(OLD))
    (text,) = await kept()
    await write(url, None, value=text, tenant="globex")
    with pytest.raises(Undecipherable, match="moved"):
        await read(url, ring(OLD), tenant="globex")
    facts = {"posting_id": "p", "variant_id": "v", "state": "pending", "request_digest": "x", "token": 1, "version": 1}
    async with Tables.at(url) as tables, tables.writing(sight_of("acme")) as transaction:
        times = {"created_at": transaction.now, "updated_at": transaction.now}
        await transaction.add(RUNS, run_id="r", artifacts=text, **facts, **times)
    async with Tables.at(url, cipher=ring(OLD)) as tables, tables.reading(sight_of("acme")) as transaction:
        with pytest.raises(Undecipherable, match="moved"):
            await transaction.fetch(select(RUNS))


async def test_a_name_of_content_tells_nothing_without_the_key(url):
    names = []
    for cipher in (None, ring(OLD), ring(NEW)):
        async with Tables.at(url, cipher=cipher) as tables, tables.reading(sight_of("acme")) as transaction:
            names.append(transaction.name_content("45000"))
    assert len(set(names)) == 3


async def renew(url, cipher, **asked):
    async def list_tenants():
        return ["acme", "globex"]

    async with Tables.at(url, cipher=cipher) as tables:
        found = await TablesRenewal(tables, list_tenants).renew(**asked)
        return found.current, found.renewed, found.unreadable


async def test_columns_are_written_anew_with_the_first_key(url, kept):
    await write(url, None)
    await write(url, ring(OLD), digest="2")
    await write(url, ring(OLD), tenant="globex")
    assert await renew(url, ring(NEW, OLD), is_dry=True) == (0, 3, 0)
    assert await renew(url, ring(NEW, OLD), tenant="acme") == (0, 2, 0)
    assert await renew(url, ring(NEW)) == (2, 0, 1)
    assert await read(url, ring(NEW)) == MARKER
    assert await renew(url, ring(Secret("plain"), NEW), tenant="acme") == (0, 2, 0)
    assert await kept() == [MARKER, MARKER]
