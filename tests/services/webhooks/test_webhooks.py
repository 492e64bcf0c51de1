"""From a job's end to a signed message, on both stores of tables."""

from datetime import timedelta

import msgspec
import pytest

import dibs
from dibs.access.model import By
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.errors import BadInput, Forbidden, WebhookNotFound
from dibs.outside.transport.transport import Transport
from dibs.services.webhooks import store
from dibs.services.webhooks.actions import (
    NewEndpoint,
    add_endpoint,
    get_endpoint,
    list_deliveries,
    list_endpoints,
    remove_endpoint,
    rotate_secret,
)
from dibs.services.webhooks.collecting import Collector
from dibs.services.webhooks.delivering import Deliverer
from dibs.services.webhooks.tasks import make_tasks
from dibs.storage.sight import sight_of
from tests.outside.hostile import in_turn, redirect, say
from tests.services.webhooks.conftest import ALL, BY


async def deliveries(room, endpoint):
    return await list_deliveries(room, endpoint.tenant, endpoint.id, BY)


async def test_a_finished_job_is_told_in_a_signed_message_without_what_it_was_given(
    app, add, drain, collector, room, hostile
):
    hostile.on("/hook", say(204))
    endpoint, secret = await add()
    job = await app.enqueue("GREET", {"name": "Marker-Ada"}, tenant="acme")
    await drain()
    assert await collector.collect() == 1
    await drain()
    [asked] = hostile.asked
    told = msgspec.json.decode(asked.body)
    assert dibs.verify_webhook(asked.body, asked.headers, secret)
    assert (told["type"], told["data"]["job_id"], told["data"]["job_type"]) == ("job.finished", job.id, "GREET")
    assert b"Marker" not in asked.body
    [delivery] = await deliveries(room, endpoint)
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)


async def test_how_a_delivery_went_is_no_news(app, add, drain, collector, seal, hostile):
    hostile.on("/hook", say(200))
    await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    for _ in range(3):
        await drain()
        await collector.collect()
        await seal()
    assert len(hostile.asked) == 1


async def test_a_job_that_failed_for_good_and_alerts_are_told(app, add, drain, collector, hostile):
    hostile.on("/hook", say(200))
    await add(events=("job.failed", "alert"))
    await app.enqueue("BREAK", tenant="acme")
    await app.enqueue("GREET", {"name": "not asked for"}, tenant="acme")
    await drain()
    backend = await app.backend()
    await backend.audit.append([dibs.NewEntry(action="ALERT_DISK", subject="disk:1", actor="ops", tenant="acme")])
    await collector.collect()
    await drain()
    assert sorted(msgspec.json.decode(asked.body)["type"] for asked in hostile.asked) == ["alert", "job.failed"]


async def test_nothing_is_lost_or_told_twice_whoever_dies_where(app, add, drain, seal, worker_tables, hostile):
    hostile.on("/hook", say(200))
    await add()
    for number in range(5):
        await app.enqueue("GREET", {"name": str(number)}, tenant="acme")
    await drain()

    async def die(*_, **__):
        raise dibs.StoreUnavailable("gone")

    for make in (
        lambda: Collector(worker_tables, app.backend, die),
        lambda: Collector(worker_tables, die, app.enqueue),
    ):
        with pytest.raises(dibs.StoreUnavailable):
            await make().collect()
    await seal()
    # Another process, which knows nothing of what the others have seen; and then once more.
    assert await Collector(worker_tables, app.backend, app.enqueue).collect() == 5
    assert await Collector(worker_tables, app.backend, app.enqueue).collect() == 0
    await drain()
    assert len(hostile.asked) == len({asked.headers["webhook-id"] for asked in hostile.asked}) == 5


async def test_a_job_that_was_stored_before_its_collector_died_is_not_stored_again(
    app, add, drain, collector, worker_tables
):
    await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    stored = []

    async def store_and_die(job_type, given, **options):
        stored.append(await app.enqueue(job_type, given, **options))
        raise dibs.StoreUnavailable("gone")

    with pytest.raises(dibs.StoreUnavailable):
        await Collector(worker_tables, app.backend, store_and_die).collect()
    await collector.collect()
    backend = await app.backend()
    page = await backend.reader.list_jobs(dibs.JobFilter(job_type="WEBHOOK_DELIVER"), dibs.PageRequest())
    assert [job.id for job in page.items] == [stored[0].id]


async def test_what_happened_before_an_endpoint_was_made_is_not_told(app, add, drain, collector, seal):
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await seal()
    await add()
    assert await collector.collect() == 0


async def test_another_tenants_jobs_are_not_told(app, add, drain, collector):
    await add("acme")
    await app.enqueue("GREET", {"name": "Ada"}, tenant="globex")
    await drain()
    assert await collector.collect() == 0


async def test_the_installations_endpoint_hears_what_concerns_everybody(app, add, drain, collector, hostile):
    hostile.on("/hook", say(200))
    endpoint, secret = await add(None)
    backend = await app.backend()
    await backend.audit.append([dibs.NewEntry(action="ALERT_DISK", subject="disk:1", actor="ops", tenant="*")])
    assert await collector.collect() == 1
    await drain()
    assert dibs.verify_webhook(hostile.asked[0].body, hostile.asked[0].headers, secret)
    assert endpoint.tenant is None


async def test_a_receiver_that_is_unwell_is_asked_again(app, add, drain, collector, room, hostile):
    hostile.on("/hook", in_turn(say(500), say(200)))
    endpoint, _ = await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await drain()
    [delivery] = await deliveries(room, endpoint)
    assert (delivery.state, delivery.status) == ("waiting", 500)
    backend = await app.backend()
    job = await backend.get_job(delivery.id)
    assert (job.state, job.max_retries) == (dibs.State.RETRYABLE, 9)


async def test_a_receiver_that_is_gone_for_good_is_not_asked_again(app, add, drain, collector, room, hostile):
    hostile.on("/hook", say(410))
    endpoint, _ = await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await drain()
    assert (await get_endpoint(room, "acme", endpoint.id, BY)).disabled_at is not None
    [delivery] = await deliveries(room, endpoint)
    assert delivery.state == "failed"


async def test_no_redirect_is_followed(app, add, drain, collector, hostile, other):
    hostile.on("/hook", redirect(other.url("/secret"), 307))
    other.on("/secret", say(200))
    await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await drain()
    assert (hostile.paths(), other.connections) == (["/hook"], 0)


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://169.254.169.254/latest",
        "https://10.0.0.7/hook",
        "https://2130706433/hook",
        "https://example.com:8443/hook",
        "http://example.com/hook",
        "ftp://example.com/hook",
        "https://ada:secret@example.com/hook",
    ],
)
async def test_an_address_that_nobody_may_reach_is_refused(room, address):
    with pytest.raises(BadInput):
        await add_endpoint(room, NewEndpoint(tenant="acme", url=address, events=ALL), BY)
    assert await list_endpoints(room, "acme", BY) == []


async def test_a_name_that_leads_to_a_private_address_later_is_refused_when_it_is_sent_to(
    app, add, drain, collector, room, hostile
):
    endpoint, _ = await add()
    app.tasks.clear()
    strict = msgspec.structs.replace(room.settings, allow_hosts=frozenset())
    await (await app.backend()).audit.append(
        [dibs.NewEntry(action="ALERT_DISK", subject="disk:1", actor="ops", tenant="acme")]
    )
    await collector.collect()
    async with Transport() as transport:
        app.include(make_tasks(Deliverer(room.tables, transport, strict)))
        await drain()
    [delivery] = await deliveries(room, endpoint)
    assert (delivery.state, delivery.error, hostile.connections) == ("failed", "AddressRefused", 0)


async def test_while_a_secret_is_replaced_both_are_good_and_then_only_the_new_one(
    app, add, drain, collector, room, hostile
):
    hostile.on("/hook", say(200))
    endpoint, old = await add()
    _, new = await rotate_secret(room, "acme", endpoint.id, BY)
    _, newest = await rotate_secret(room, "acme", endpoint.id, BY, overlap=timedelta(0))
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await drain()
    [asked] = hostile.asked
    assert dibs.verify_webhook(asked.body, asked.headers, newest)
    for ended in (old, new):
        with pytest.raises(dibs.WebhookRefused):
            dibs.verify_webhook(asked.body, asked.headers, ended)


async def test_two_secrets_sign_during_the_overlap(app, add, drain, collector, room, hostile):
    hostile.on("/hook", say(200))
    endpoint, old = await add()
    _, new = await rotate_secret(room, "acme", endpoint.id, BY)
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await drain()
    for secret in (old, new):
        assert dibs.verify_webhook(hostile.asked[0].body, hostile.asked[0].headers, secret)


async def test_what_is_on_its_way_to_a_removed_endpoint_is_not_sent(app, add, drain, collector, room, hostile):
    endpoint, _ = await add()
    await app.enqueue("GREET", {"name": "Ada"}, tenant="acme")
    await drain()
    await collector.collect()
    await remove_endpoint(room, "acme", endpoint.id, BY)
    await drain()
    assert hostile.asked == []
    with pytest.raises(WebhookNotFound):
        await get_endpoint(room, "acme", endpoint.id, BY)


async def test_the_tables_hold_no_secret_in_clear(add, tables):
    endpoint, secret = await add()
    async with tables.reading(sight_of("acme")) as transaction:
        [sealed] = await store.list_secrets(transaction, endpoint.id)
    assert secret.removeprefix("whsec_") not in sealed
    assert sealed.startswith("v1.")


async def test_without_a_key_no_endpoint_is_made(room, settings, hostile):
    room.settings = msgspec.structs.replace(settings, keys=())
    with pytest.raises(BadInput, match="Set DIBS_WEBHOOKS_KEYS"):
        await add_endpoint(room, NewEndpoint(tenant="acme", url=hostile.url("/hook"), events=ALL), BY)


async def test_every_act_is_in_the_audit_log(app, add, room):
    endpoint, _ = await add()
    await rotate_secret(room, "acme", endpoint.id, BY)
    await remove_endpoint(room, "acme", endpoint.id, BY)
    backend = await app.backend()
    page = await backend.reader.list_audit(dibs.AuditFilter(tenant="acme"), dibs.PageRequest())
    assert [entry.action for entry in page.items] == ["WEBHOOK_REMOVED", "WEBHOOK_ROTATED", "WEBHOOK_ADDED"]


async def test_whoever_lacks_the_scope_or_is_of_another_tenant_is_refused(room, hostile):
    wanted = NewEndpoint(tenant="acme", url=hostile.url("/hook"), events=ALL)
    for tenant, scopes in (("globex", frozenset(Scope)), ("acme", frozenset({Scope.WEBHOOKS_READ}))):
        by = By(principal=Principal(actor="x", tenant=tenant, scopes=scopes, kind="key"))
        with pytest.raises(Forbidden):
            await add_endpoint(room, wanted, by)
