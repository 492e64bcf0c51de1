"""Deliveries: messages have references only, but what is referred to may be called after a person."""

import msgspec

from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.services.webhooks import store
from dibs.services.webhooks.model import Delivery
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables


def make_holding(*, tables: Tables) -> "DeliveriesHolding":
    """Give the deliveries of an installation."""
    return DeliveriesHolding(tables)


class DeliveriesHolding(Untraced):
    """Deliveries whose message names a person. What was sent is with its receiver, who must be asked."""

    name = "webhooks"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the messages."""
        found = await self._find(inquiry)
        return [Held(kind="delivery", id=one.id, data=msgspec.to_builtins(one)) for one in found]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget them; those that wait are not sent any more."""
        ids = [one.id for one in await self._find(inquiry)]
        if ids:
            async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
                await store.forget(transaction, ids)
        return Erased(count=len(ids))

    async def _find(self, inquiry: Inquiry) -> list[Delivery]:
        found: list[Delivery] = []
        after = ""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            while page := await store.walk_deliveries(transaction, after):
                found += [one for one in page if inquiry.names(one.subject) or inquiry.names_in_json(one.body)]
                after = page[-1].id
        return found
