"""One try to bring one message to one endpoint."""

from datetime import datetime

import msgspec

from dibs.engine.tasks.outcome import Cancel
from dibs.errors import BadInput, FetchRefused, OutsideError, ProviderFault, Retryable, Undecipherable
from dibs.outside.transport.transport import HttpRequest, Transport
from dibs.services.webhooks import store
from dibs.services.webhooks.model import Delivery, DeliveryState, Endpoint
from dibs.services.webhooks.settings import WebhookSettings
from dibs.services.webhooks.signing import write_headers
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction

_GONE = 410


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """Which delivery, whose, and whether nobody will try again when this fails."""

    tenant: str
    delivery_id: str
    is_last: bool


class Deliverer:
    """Signs messages and sends them through the guarded transport."""

    def __init__(self, tables: Tables, transport: Transport, settings: WebhookSettings) -> None:
        self._tables = tables
        self._transport = transport
        self._settings = settings

    async def deliver(self, sending: Sending) -> int | Cancel:
        """Send a message, and give the status of the answer; raises when the receiver did not take it."""
        async with self._tables.reading(sight_of(sending.tenant)) as transaction:
            delivery = await _find(transaction, sending.delivery_id)
            endpoint = None if delivery is None else await store.find_endpoint(transaction, delivery.endpoint_id)
            sealed = [] if endpoint is None else await store.list_secrets(transaction, endpoint.id)
            now = transaction.now
        if delivery is None or endpoint is None or endpoint.disabled_at is not None:
            return Cancel("the webhook was removed, or is disabled")
        request = self._write(sending.tenant, delivery, endpoint, sealed, now)
        return await self._send(sending, endpoint, request)

    def _write(
        self, tenant: str, delivery: Delivery, endpoint: Endpoint, sealed: list[str], now: datetime
    ) -> HttpRequest:
        vault = self._settings.open_vault()
        try:
            secrets = [vault.open(one, tenant, endpoint.id).decode() for one in sealed]
        except BadInput as cause:
            # An operator can put the key back: the message can wait.
            raise Retryable(str(cause)) from cause
        body = delivery.body.encode()
        headers = {"Content-Type": "application/json", **write_headers(secrets, delivery.id, now, body)}
        return HttpRequest(url=endpoint.url, method="POST", headers=headers, body=body)

    async def _send(self, sending: Sending, endpoint: Endpoint, request: HttpRequest) -> int | Cancel:
        try:
            status = (await self._transport.send(request, self._settings.rules)).status
        except OutsideError as error:
            is_over = sending.is_last or isinstance(error, FetchRefused)
            await self._note(sending, status=None, error=type(error).__name__, is_over=is_over)
            raise
        if _is_good(status):
            await self._note(sending, status=status, is_delivered=True)
            return status
        await self._note(sending, status=status, error="refused", is_over=sending.is_last or status == _GONE)
        if status == _GONE:
            await self._disable(sending.tenant, endpoint)
            return Cancel("the receiver says that it is gone for good; the webhook is disabled")
        message = f"the receiver answered {status}. It will be asked again; look at what it logs."
        raise ProviderFault(message, status=status)

    async def _note(
        self,
        sending: Sending,
        *,
        status: int | None,
        error: str = "",
        is_over: bool = False,
        is_delivered: bool = False,
    ) -> None:
        failed = DeliveryState.FAILED if is_over else DeliveryState.WAITING
        state = DeliveryState.DELIVERED if is_delivered else failed
        async with self._tables.writing(sight_of(sending.tenant)) as transaction:
            await store.note_try(transaction, sending.delivery_id, state, status=status, error=error)

    async def _disable(self, tenant: str, endpoint: Endpoint) -> None:
        async with self._tables.writing(sight_of(tenant)) as transaction:
            await store.disable_endpoint(transaction, endpoint.id)


async def _find(transaction: Transaction, delivery_id: str) -> Delivery | None:
    try:
        return await store.find_delivery(transaction, delivery_id)
    except Undecipherable as cause:
        # An operator can put the key back: the message can wait.
        raise Retryable(str(cause)) from cause


def _is_good(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004 - the class of HTTP
