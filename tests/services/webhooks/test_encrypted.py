"""What is on its way to an endpoint is encrypted where the tenant has a key."""

import pytest
from sqlalchemy import select

import dibs
from dibs.assembly import load_renewals
from dibs.engine.audit.sealing import NewEntry
from dibs.kit.encryption.encrypted import MARK
from dibs.kit.encryption.keyring import Keyring
from dibs.kit.encryption.secret import Secret
from dibs.outside.transport.transport import Transport
from dibs.services.webhooks.delivering import Deliverer, Sending
from dibs.services.webhooks.tables import DELIVERIES
from dibs.storage.roles import TablesRole
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.access.conftest import url  # noqa: F401 - a fixture
from tests.outside.conftest import hostile  # noqa: F401 - the same
from tests.outside.hostile import say
from tests.services.webhooks.test_webhooks import deliveries

MARKER = "candidate:ada.lovelace@example.org"
OLD, NEW = (Keyring([Secret(letter * 44)], variable="DIBS_ENCRYPTION_KEYS") for letter in "on")


@pytest.fixture
async def tables(url):  # noqa: F811 - the fixture
    async with Tables.at(url, cipher=OLD) as opened:
        yield opened


@pytest.fixture
async def worker_tables(url):  # noqa: F811 - the fixture
    async with Tables.at(url, role=TablesRole.WORKER, cipher=OLD) as opened:
        yield opened


@pytest.fixture
async def delivery(app, add, collector, room):
    """An alert that an app has named after a person."""
    endpoint, _ = await add()
    backend = await app.backend()
    await backend.audit.append([_alert("acme")])
    assert await collector.collect() == 1
    [waiting] = await deliveries(room, endpoint)
    return waiting


def _alert(tenant):
    return NewEntry(action="ALERT_ODD", subject=MARKER, actor="app", tenant=tenant, reason="", detail={})


async def read_kept(tables, tenant):
    async with tables.reading(sight_of(tenant)) as transaction:
        return [(row["subject"], row["body"]) for row in await transaction.fetch_kept(select(DELIVERIES))]


async def test_whoever_has_the_disk_reads_neither_message_nor_subject(delivery, tables, drain, hostile):  # noqa: F811
    hostile.on("/hook", say(204))
    assert delivery.subject == MARKER
    [kept] = await read_kept(tables, "acme")
    assert all(text.startswith(MARK) for text in kept)
    await drain()
    [asked] = hostile.asked
    assert MARKER.encode() in asked.body, "the receiver is told as before"


async def test_a_worker_without_the_key_leaves_the_message_for_later(delivery, url, settings, hostile):  # noqa: F811
    sending = Sending(tenant="acme", delivery_id=delivery.id, is_last=False)
    async with Transport() as transport, Tables.at(url, role=TablesRole.WORKER, cipher=NEW) as keyless:
        with pytest.raises(dibs.Retryable, match="DIBS_ENCRYPTION_KEYS"):
            await Deliverer(keyless, transport, settings).deliver(sending)
    assert hostile.asked == []


async def test_messages_of_the_installation_are_written_anew_as_well(app, add, collector, tables, url):  # noqa: F811
    await add(None)
    backend = await app.backend()
    await backend.audit.append([_alert("*")])
    assert await collector.collect() == 1
    both = Keyring([Secret("n" * 44), Secret("o" * 44)], variable="DIBS_ENCRYPTION_KEYS")
    async with Tables.at(url, cipher=both) as renewed:
        [tally] = [await one.renew() for one in await load_renewals(app, renewed) if one.name == "tables"]
    assert (tally.renewed, tally.unreadable) == (2, 0)
    async with Tables.at(url, cipher=NEW) as opened, opened.reading(sight_of(None)) as transaction:
        assert [row["subject"] for row in await transaction.fetch(select(DELIVERIES))] == [MARKER]
