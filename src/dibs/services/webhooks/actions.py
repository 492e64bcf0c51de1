"""The verbs for endpoints: one transaction each."""

from datetime import datetime, timedelta

import msgspec

from dibs.access.directory import Directory, note
from dibs.access.model import By, check_reach
from dibs.access.scopes import Scope
from dibs.engine.audit.actions import ALL_TENANTS
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput, WebhookNotFound
from dibs.kit.ids import new_id
from dibs.services.webhooks import store
from dibs.services.webhooks.model import (
    LONGEST_OVERLAP,
    MOST_ENDPOINTS,
    ROTATION_OVERLAP,
    Delivery,
    Endpoint,
    WebhookAction,
    fit_events,
)
from dibs.services.webhooks.settings import WebhookSettings
from dibs.services.webhooks.signing import make_secret
from dibs.services.webhooks.tables import ENDPOINTS
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


class NewEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for. `tenant` None: the installation's own."""

    tenant: str | None
    url: str
    events: tuple[str, ...]


class Postroom:
    """What the verbs work on: the tables, the log whose end a new endpoint begins at, and the settings."""

    def __init__(self, directory: Directory, backend: Backend, settings: WebhookSettings) -> None:
        self.directory = directory
        self.tables = directory.tables
        self.settings = settings
        self._backend = backend

    async def now(self) -> datetime:
        """Tell the time by the clock of the log: what happens from then on is told."""
        return await self._backend.reader.now()

    async def find_end(self, tenant: str | None) -> int:
        """Tell where the sealed part of a tenant's log ends."""
        wanted = tenant or ALL_TENANTS
        return next((head.position for head in await self._backend.audit.list_heads() if head.tenant == wanted), 0)


async def add_endpoint(room: Postroom, wanted: NewEndpoint, by: By) -> tuple[Endpoint, str]:
    """Make an endpoint, and give its secret, which nobody can read again."""
    check_reach(by, wanted.tenant, Scope.WEBHOOKS_WRITE)
    url, events = room.settings.fit_url(wanted.url), fit_events(wanted.events)
    vault, secret, end = room.settings.open_vault(), make_secret(), await room.find_end(wanted.tenant)
    vault.need_key()
    now = await room.now()
    async with room.tables.writing(sight_of(wanted.tenant)) as transaction:
        await _check_room(transaction)
        endpoint = Endpoint(
            id=new_id(),
            tenant=wanted.tenant,
            url=url,
            events=events,
            created_by=by.principal.actor,
            created_at=now,
        )
        await store.add_endpoint(transaction, endpoint)
        await store.add_secret(transaction, endpoint.id, _seal(room, transaction, endpoint.id, secret))
        await store.start_cursor(transaction, end)
        await note(transaction, WebhookAction.ADDED, f"webhook:{endpoint.id}", by)
    await room.directory.forward_acts([wanted.tenant])
    return endpoint, secret


async def list_endpoints(room: Postroom, tenant: str | None, by: By) -> list[Endpoint]:
    """Read the endpoints of a tenant; None: those of the installation."""
    check_reach(by, tenant, Scope.WEBHOOKS_READ)
    async with room.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_endpoints(transaction)


async def get_endpoint(room: Postroom, tenant: str | None, endpoint_id: str, by: By) -> Endpoint:
    """Read one endpoint."""
    check_reach(by, tenant, Scope.WEBHOOKS_READ)
    async with room.tables.reading(sight_of(tenant)) as transaction:
        return await _need(transaction, endpoint_id)


async def rotate_secret(
    room: Postroom, tenant: str | None, endpoint_id: str, by: By, *, overlap: timedelta | None = None
) -> tuple[Endpoint, str]:
    """Make another secret; messages are signed with both until the old one ends."""
    check_reach(by, tenant, Scope.WEBHOOKS_WRITE)
    overlap = ROTATION_OVERLAP if overlap is None else overlap
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        message = f"an overlap of {overlap} makes no sense. Use up to {LONGEST_OVERLAP.days} days."
        raise BadInput(message)
    secret = make_secret()
    async with room.tables.writing(sight_of(tenant)) as transaction:
        endpoint = await _need(transaction, endpoint_id)
        await store.end_secrets(transaction, endpoint_id, transaction.now + overlap)
        await store.add_secret(transaction, endpoint_id, _seal(room, transaction, endpoint_id, secret))
        await note(transaction, WebhookAction.ROTATED, f"webhook:{endpoint_id}", by)
    await room.directory.forward_acts([tenant])
    return endpoint, secret


async def remove_endpoint(room: Postroom, tenant: str | None, endpoint_id: str, by: By) -> None:
    """Forget an endpoint. What is on its way to it is not sent."""
    check_reach(by, tenant, Scope.WEBHOOKS_WRITE)
    async with room.tables.writing(sight_of(tenant)) as transaction:
        await _need(transaction, endpoint_id)
        await store.remove_endpoint(transaction, endpoint_id)
        await note(transaction, WebhookAction.REMOVED, f"webhook:{endpoint_id}", by)
    await room.directory.forward_acts([tenant])


async def list_deliveries(
    room: Postroom, tenant: str | None, endpoint_id: str, by: By, *, before: str | None = None, limit: int = 50
) -> list[Delivery]:
    """Read what was sent to an endpoint, or is to be, the newest first."""
    check_reach(by, tenant, Scope.WEBHOOKS_READ)
    async with room.tables.reading(sight_of(tenant)) as transaction:
        await _need(transaction, endpoint_id)
        return await store.list_deliveries(transaction, endpoint_id, before=before, limit=limit)


def _seal(room: Postroom, transaction: Transaction, endpoint_id: str, secret: str) -> str:
    return room.settings.open_vault().seal(secret.encode(), transaction.sight.tenant, endpoint_id)


async def _need(transaction: Transaction, endpoint_id: str) -> Endpoint:
    found = await store.find_endpoint(transaction, endpoint_id)
    if found is None:
        message = f"there is no webhook {endpoint_id[:80]!a} here. List them with: dibs webhooks list"
        raise WebhookNotFound(message)
    return found


async def _check_room(transaction: Transaction) -> None:
    if await store.count(transaction, ENDPOINTS) >= MOST_ENDPOINTS:
        message = f"there are {MOST_ENDPOINTS} webhooks already, and no more are served. Remove one first."
        raise BadInput(message)
