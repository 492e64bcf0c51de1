"""Every statement on the tables of webhooks. Whose rows are meant, the transaction says."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import RowMapping, Table, delete, func, or_, select, update

from dibs.kit.ids import new_id
from dibs.services.webhooks.model import Cursor, Delivery, DeliveryState, Endpoint, Message, name_delivery
from dibs.services.webhooks.tables import CURSORS, DELIVERIES, ENDPOINTS, SECRETS
from dibs.storage.sight import INSTALLATION
from dibs.storage.transaction import Transaction

UNQUEUED_AT_ONCE = 500
WALKED_AT_ONCE = 500


async def add_endpoint(transaction: Transaction, endpoint: Endpoint) -> None:
    """Keep an endpoint."""
    facts = {name: getattr(endpoint, name) for name in endpoint.__struct_fields__ if name != "tenant"}
    await transaction.add(ENDPOINTS, **facts)


async def find_endpoint(transaction: Transaction, endpoint_id: str) -> Endpoint | None:
    """Read one endpoint."""
    row = await transaction.find(select(ENDPOINTS).where(ENDPOINTS.c.id == endpoint_id))
    return None if row is None else _as_endpoint(row)


async def list_endpoints(transaction: Transaction) -> list[Endpoint]:
    """Read the endpoints in sight, in the order they were made."""
    return [_as_endpoint(row) for row in await transaction.fetch(select(ENDPOINTS).order_by(ENDPOINTS.c.id))]


async def disable_endpoint(transaction: Transaction, endpoint_id: str) -> None:
    """Send nothing more to an endpoint."""
    is_meant = (ENDPOINTS.c.id == endpoint_id) & ENDPOINTS.c.disabled_at.is_(None)
    await transaction.change(update(ENDPOINTS).where(is_meant).values(disabled_at=transaction.now))


async def rename_maker(transaction: Transaction, endpoint_id: str, name: str) -> None:
    """Call whoever made an endpoint by another name."""
    await transaction.change(update(ENDPOINTS).where(ENDPOINTS.c.id == endpoint_id).values(created_by=name))


async def remove_endpoint(transaction: Transaction, endpoint_id: str) -> None:
    """Forget an endpoint, its secrets and its deliveries."""
    for table in (DELIVERIES, SECRETS):
        await transaction.change(delete(table).where(table.c.endpoint_id == endpoint_id))
    await transaction.change(delete(ENDPOINTS).where(ENDPOINTS.c.id == endpoint_id))


async def add_secret(transaction: Transaction, endpoint_id: str, sealed: str) -> None:
    """Keep a secret of an endpoint."""
    await transaction.add(SECRETS, id=new_id(), endpoint_id=endpoint_id, sealed=sealed)


async def end_secrets(transaction: Transaction, endpoint_id: str, at: datetime) -> None:
    """Let the secrets of an endpoint end at an instant, and forget those that have ended."""
    is_meant = SECRETS.c.endpoint_id == endpoint_id
    await transaction.change(delete(SECRETS).where(is_meant & (SECRETS.c.ends_at <= transaction.now)))
    ends_later = or_(SECRETS.c.ends_at.is_(None), SECRETS.c.ends_at > at)
    await transaction.change(update(SECRETS).where(is_meant & ends_later).values(ends_at=at))


async def list_secrets(transaction: Transaction, endpoint_id: str) -> list[str]:
    """Read the sealed secrets that are valid now, the newest first."""
    is_valid = or_(SECRETS.c.ends_at.is_(None), SECRETS.c.ends_at > transaction.now)
    question = select(SECRETS.c.sealed).where((SECRETS.c.endpoint_id == endpoint_id) & is_valid)
    return [row["sealed"] for row in await transaction.fetch(question.order_by(SECRETS.c.id.desc()))]


async def start_cursor(transaction: Transaction, position: int) -> None:
    """Begin to read the log of a tenant, unless it is read already."""
    await transaction.add_if_new(CURSORS, tenant=transaction.sight.tenant, position=position)


async def list_cursors(transaction: Transaction) -> list[Cursor]:
    """Read how far the logs were read; the installation sees all."""
    return [Cursor(**row) for row in await transaction.fetch(select(CURSORS).order_by(CURSORS.c.tenant))]


async def move_cursor(transaction: Transaction, position: int) -> None:
    """Note how far the log was read; never backwards, whoever else reads it."""
    own = CURSORS.c.tenant == transaction.sight.tenant
    await transaction.change(update(CURSORS).where(own & (CURSORS.c.position < position)).values(position=position))


async def add_delivery(transaction: Transaction, endpoint: Endpoint, message: Message) -> bool:
    """Note that a message is to go to an endpoint; False when that was noted before."""
    return await transaction.add_if_new(
        DELIVERIES,
        id=name_delivery(message, endpoint.id),
        endpoint_id=endpoint.id,
        event=message.event.value,
        subject=message.subject,
        body=message.body,
        state=DeliveryState.WAITING.value,
        attempts=0,
        error="",
        created_at=transaction.now,
    )


async def list_unqueued(transaction: Transaction) -> list[str]:
    """Read which deliveries have no job yet, the oldest first."""
    question = select(DELIVERIES.c.id).where(DELIVERIES.c.queued_at.is_(None))
    return [row["id"] for row in await transaction.fetch(question.order_by(DELIVERIES.c.id).limit(UNQUEUED_AT_ONCE))]


async def mark_queued(transaction: Transaction, ids: Sequence[str]) -> None:
    """Note that they have one."""
    await transaction.change(update(DELIVERIES).where(DELIVERIES.c.id.in_(ids)).values(queued_at=transaction.now))


async def find_delivery(transaction: Transaction, delivery_id: str) -> Delivery | None:
    """Read one delivery."""
    row = await transaction.find(_deliveries().where(DELIVERIES.c.id == delivery_id))
    return None if row is None else Delivery(**row)


async def list_deliveries(
    transaction: Transaction, endpoint_id: str, *, before: str | None, limit: int
) -> list[Delivery]:
    """Read deliveries to an endpoint, the newest first."""
    question = _deliveries().where(DELIVERIES.c.endpoint_id == endpoint_id)
    if before is not None:
        question = question.where(DELIVERIES.c.id < before)
    rows = await transaction.fetch(question.order_by(DELIVERIES.c.id.desc()).limit(limit))
    return [Delivery(**row) for row in rows]


async def note_try(
    transaction: Transaction, delivery_id: str, state: DeliveryState, *, status: int | None, error: str
) -> None:
    """Note how a try went."""
    values: dict[str, Any] = {"state": state.value, "status": status, "error": error, "tried_at": transaction.now}
    is_open = (DELIVERIES.c.id == delivery_id) & (DELIVERIES.c.state != DeliveryState.DELIVERED.value)
    change = update(DELIVERIES).where(is_open).values(attempts=DELIVERIES.c.attempts + 1, **values)
    await transaction.change(change)


async def forget_deliveries(transaction: Transaction, keep: timedelta) -> int:
    """Forget deliveries that are old enough."""
    return await transaction.change(delete(DELIVERIES).where(DELIVERIES.c.created_at < transaction.now - keep))


async def forget(transaction: Transaction, ids: Sequence[str]) -> int:
    """Forget deliveries by id."""
    return await transaction.change(delete(DELIVERIES).where(DELIVERIES.c.id.in_(ids)))


async def walk_deliveries(transaction: Transaction, after: str) -> list[Delivery]:
    """Read the next deliveries to any endpoint, the oldest first."""
    question = _deliveries().where(DELIVERIES.c.id > after).order_by(DELIVERIES.c.id)
    return [Delivery(**row) for row in await transaction.fetch(question.limit(WALKED_AT_ONCE))]


async def count(transaction: Transaction, table: Table) -> int:
    """Count the rows in sight."""
    row = await transaction.find(select(func.count().label("rows")).select_from(table))
    return 0 if row is None else int(row["rows"])


def _deliveries() -> Any:
    return select(*(DELIVERIES.c[name] for name in Delivery.__struct_fields__))


def _as_endpoint(row: RowMapping) -> Endpoint:
    endpoint = Endpoint(**row)
    return msgspec.structs.replace(endpoint, tenant=None) if endpoint.tenant == INSTALLATION else endpoint
