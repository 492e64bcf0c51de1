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
        """Give the messages, where they go, and endpoints that the person has made."""
        found = await self._find(inquiry)
        endpoints = [*found.endpoints, *found.made]
        held = [Held(kind="endpoint", id=one.id, data=msgspec.to_builtins(one)) for one in endpoints]
        return held + [Held(kind="delivery", id=one.id, data=msgspec.to_builtins(one)) for one in found.deliveries]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget them; those that wait are not sent any more. Who made an endpoint for others is taken out of it."""
        found = await self._find(inquiry)
        if found.count:
            async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
                await _forget(transaction, inquiry, found)
        return Erased(count=found.count)

    async def _find(self, inquiry: Inquiry) -> "_Found":
        """Look without keeping anybody from writing: there may be many deliveries."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            endpoints = await store.list_endpoints(transaction)
            deliveries = await _find_deliveries(transaction, inquiry)
        named = [one for one in endpoints if inquiry.names(one.url)]
        made = [one for one in endpoints if one not in named and inquiry.names(one.created_by)]
        return _Found(named, made, deliveries)


class _Found(msgspec.Struct, frozen=True):
    endpoints: list[Endpoint]
    made: list[Endpoint]
    deliveries: list[Delivery]

    @property
    def count(self) -> int:
        return len(self.endpoints) + len(self.made) + len(self.deliveries)


async def _forget(transaction: Transaction, inquiry: Inquiry, found: _Found) -> None:
    ids = [one.id for one in found.deliveries]
    for start in range(0, len(ids), store.WALKED_AT_ONCE):
        await store.forget(transaction, ids[start : start + store.WALKED_AT_ONCE])
    for one in found.endpoints:
        await store.remove_endpoint(transaction, one.id)
    for one in found.made:
        await store.rename_maker(transaction, one.id, inquiry.redact(one.created_by))


async def _find_deliveries(transaction: Transaction, inquiry: Inquiry) -> list[Delivery]:
    found: list[Delivery] = []
    after = ""
    while page := await store.walk_deliveries(transaction, after):
        found += [one for one in page if _is_about(inquiry, one)]
        after = page[-1].id
    return found


def _is_about(inquiry: Inquiry, delivery: Delivery) -> bool:
    return inquiry.names([delivery.subject, delivery.error]) or inquiry.names_in_json(delivery.body)
