"""A person after whom an endpoint is called, or whom a delivery names, is forgotten here."""

from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.services.webhooks import store
from dibs.services.webhooks.actions import list_endpoints
from dibs.services.webhooks.holdings import make_holding
from dibs.services.webhooks.model import DeliveryState, Event, Message
from dibs.storage.sight import sight_of
from tests.services.webhooks.conftest import BY

ADA = Inquiry("acme", ["ada@example.org"])
ACT = OperatorAct(actor="ann", reason="asked")


async def deliver(tables, endpoint, subject):
    async with tables.writing(sight_of(endpoint.tenant)) as transaction:
        message = Message(event=Event.ALERT, sequence=1, subject=subject, at=transaction.now, body="{}")
        await store.add_delivery(transaction, endpoint, message)


async def test_an_endpoint_whose_url_names_a_person_is_removed_with_its_deliveries_and_no_other(add, room, tables):
    hers, _ = await add(path="/hooks/ada%40example.org")
    other, _ = await add(path="/hooks/bert")
    theirs, _ = await add("globex", path="/hooks/ada@example.org")
    for endpoint in (hers, other, theirs):
        await deliver(tables, endpoint, "candidate:7")
    holding = make_holding(tables=tables)
    assert [(one.kind, one.id) for one in await holding.find(ADA)] == [("endpoint", hers.id)]
    assert (await holding.erase(ADA, ACT)).count == 1
    assert [one.id for one in await list_endpoints(room, "acme", BY)] == [other.id]
    assert [one.id for one in await list_endpoints(room, "globex", BY)] == [theirs.id]
    async with tables.reading(sight_of("acme")) as transaction:
        assert [one.endpoint_id for one in await store.walk_deliveries(transaction, "")] == [other.id]


async def test_a_delivery_is_found_by_what_its_receiver_answered(add, tables):
    endpoint, _ = await add()
    await deliver(tables, endpoint, "candidate:7")
    async with tables.writing(sight_of("acme")) as transaction:
        [delivery] = await store.walk_deliveries(transaction, "")
        error = "no ada@example.org here"
        await store.note_try(transaction, delivery.id, DeliveryState.FAILED, status=404, error=error)
    holding = make_holding(tables=tables)
    assert (await holding.erase(ADA, ACT)).count == 1
    assert await holding.find(ADA) == []


async def test_who_made_an_endpoint_is_taken_out_of_it_and_it_goes_on(room, add, tables):
    made, _ = await add(path="/hooks/bert")
    async with tables.writing(sight_of("acme")) as transaction:
        await store.rename_maker(transaction, made.id, "ada@example.org")
    holding = make_holding(tables=tables)
    assert [(one.kind, one.id) for one in await holding.find(ADA)] == [("endpoint", made.id)]
    assert (await holding.erase(ADA, ACT)).count == 1
    assert await holding.find(ADA) == []
    [left] = await list_endpoints(room, "acme", BY)
    assert (left.id, left.created_by) == (made.id, "[erased]")
