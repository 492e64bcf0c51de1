"""Columns that are declared so are encrypted where they are kept, and nobody above notices."""

import pytest
from sqlalchemy import func, select, update

from dibs.apps.postings.tables import ANSWERS, RUNS
from dibs.assembly import find_tables_schema
from dibs.errors import BadInput, Undecipherable
from dibs.kit.encryption.encrypted import MARK
from dibs.kit.encryption.keyring import Keyring
from dibs.kit.encryption.secret import Secret
from dibs.settings import Settings
from dibs.storage.encryption.renewing import TablesRenewal
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

OLD, NEW = (Secret(letter * 44) for letter in "on")
MARKER = "ada.lovelace@example.org"
THE_ROW = (ANSWERS.c.key == "mail") & (ANSWERS.c.value_digest == "1")
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
        await transaction.change(update(ANSWERS).where(THE_ROW).values(value=f"new {MARKER}"))
    assert MARKER not in str(await kept())
    assert await read(url, ring(OLD)) == f"new {MARKER}"


async def test_without_the_key_it_is_said_what_to_do(url):
    await write(url, ring(OLD))
    for cipher in (None, ring(NEW)):
        with pytest.raises(Undecipherable, match="DIBS_ENCRYPTION_KEYS"):
            await read(url, cipher)


async def put_kept(url, text, tenant):
    async with Tables.at(url) as tables, tables.writing(sight_of(tenant)) as transaction:
        await transaction.change_kept(update(ANSWERS).values(value=text))


async def test_a_value_moved_to_another_tenant_or_column_does_not_open(url, kept):
    await write(url, ring(OLD))
    (text,) = await kept()
    await write(url, None, tenant="globex")
    await put_kept(url, text, tenant="globex")
    with pytest.raises(Undecipherable, match="moved"):
        await read(url, ring(OLD), tenant="globex")
    facts = {"posting_id": "p", "variant_id": "v", "state": "pending", "request_digest": "x", "token": 1, "version": 1}
    async with Tables.at(url) as tables, tables.writing(sight_of("acme")) as transaction:
        times = {"created_at": transaction.now, "updated_at": transaction.now}
        await transaction.add(RUNS, run_id="r", artifacts="{}", **facts, **times)
        await transaction.change_kept(update(RUNS).values(artifacts=text))
    async with Tables.at(url, cipher=ring(OLD)) as tables, tables.reading(sight_of("acme")) as transaction:
        with pytest.raises(Undecipherable, match="moved"):
            await transaction.fetch(select(RUNS))


async def test_a_value_moved_to_another_row_does_not_open(url):
    for digest in "12":
        await write(url, ring(OLD), value=f"{MARKER} {digest}", digest=digest)
    async with Tables.at(url) as tables, tables.writing(sight_of("acme")) as transaction:
        first, second = await transaction.fetch_kept(select(ANSWERS).order_by(ANSWERS.c.value_digest))
        for row, other in ((first, second), (second, first)):
            is_it = ANSWERS.c.value_digest == row["value_digest"]
            assert await transaction.change_kept(update(ANSWERS).where(is_it).values(value=other["value"])) == 1
    with pytest.raises(Undecipherable, match="moved"):
        await read(url, ring(OLD))
    assert await renew(url, ring(NEW, OLD), tenant="acme") == (0, 0, 2)


async def test_a_change_that_does_not_name_its_row_is_refused(url):
    await write(url, ring(OLD))
    vague = (ANSWERS.c.key == "mail", THE_ROW | (ANSWERS.c.value_digest == "2"), ANSWERS.c.value_digest > "0")
    async with Tables.at(url, cipher=ring(OLD)) as tables, tables.writing(sight_of("acme")) as transaction:
        for condition in vague:
            with pytest.raises(BadInput, match="bound to its row"):
                await transaction.change(update(ANSWERS).where(condition).values(value="new"))
        assert await transaction.change(update(ANSWERS).where(vague[0]).values(source="person")) == 1


async def test_an_encrypted_column_under_another_name_is_refused(url):
    async with Tables.at(url, cipher=ring(OLD)) as tables, tables.reading(sight_of("acme")) as transaction:
        for column in (ANSWERS.c.value.label("other"), func.max(ANSWERS.c.value), ANSWERS.alias().c.value):
            with pytest.raises(BadInput, match="under another name"):
                await transaction.fetch(select(column))


@pytest.mark.parametrize("cipher", [None, ring(OLD)])
async def test_a_text_that_looks_encrypted_is_given_back_as_it_was(url, cipher):
    text = f"{MARK}0123456789ab.{'A' * 40}"
    async with Tables.at(url, cipher=cipher) as tables, tables.writing(sight_of("acme")) as transaction:
        row = ROW | {"question": text, "value_digest": "1", "value": text}
        await transaction.add(ANSWERS, **row, noted_at=transaction.now)
        await transaction.change(update(ANSWERS).where(THE_ROW).values(value=text, source=text))
        (found,) = await transaction.fetch(select(ANSWERS))
        assert (found["question"], found["value"], found["source"]) == (text, text, text)
    assert await read(url, cipher) == text
    assert await renew(url, ring(NEW, OLD), tenant="acme") == (0, 1, 0)
    assert await read(url, ring(NEW)) == text


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
