"""Messages have references only, but what is referred to may be called after a person, and so may be where they go."""

import msgspec

from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.services.webhooks import store
from dibs.services.webhooks.model import Delivery, Endpoint
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction


def make_holding(*, tables: Tables) -> "DeliveriesHolding":
    """Give the deliveries of an installation."""
    return DeliveriesHolding(tables)


class DeliveriesHolding(Untraced):
    """Endpoints whose URL names a person, and deliveries that do. What was sent is with its receiver: ask there."""

    name = "webhooks"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the messages, and where they go."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            endpoints = await _find_endpoints(transaction, inquiry)
            deliveries = await _find_deliveries(transaction, inquiry)
        held = [Held(kind="endpoint", id=one.id, data=msgspec.to_builtins(one)) for one in endpoints]
        return held + [Held(kind="delivery", id=one.id, data=msgspec.to_builtins(one)) for one in deliveries]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget them; those that wait are not sent any more."""
        async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
            ids = [one.id for one in await _find_deliveries(transaction, inquiry)]
            for start in range(0, len(ids), store.WALKED_AT_ONCE):
                await store.forget(transaction, ids[start : start + store.WALKED_AT_ONCE])
            endpoints = await _find_endpoints(transaction, inquiry)
            for one in endpoints:
                await store.remove_endpoint(transaction, one.id)
        return Erased(count=len(ids) + len(endpoints))


async def _find_endpoints(transaction: Transaction, inquiry: Inquiry) -> list[Endpoint]:
    return [one for one in await store.list_endpoints(transaction) if inquiry.names(one.url)]


async def _find_deliveries(transaction: Transaction, inquiry: Inquiry) -> list[Delivery]:
    found: list[Delivery] = []
    after = ""
    while page := await store.walk_deliveries(transaction, after):
        found += [one for one in page if _is_about(inquiry, one)]
        after = page[-1].id
    return found


def _is_about(inquiry: Inquiry, delivery: Delivery) -> bool:
    return inquiry.names([delivery.subject, delivery.error]) or inquiry.names_in_json(delivery.body)
