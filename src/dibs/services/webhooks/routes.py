"""Webhooks over HTTP."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec
from fastapi import Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.responses import Response

from dibs.access.model import By
from dibs.access.scopes import Scope
from dibs.engine.store.checks.values import LONGEST_NAME, LONGEST_REASON
from dibs.services.webhooks import actions
from dibs.services.webhooks.actions import NewEndpoint, Postroom
from dibs.services.webhooks.model import LONGEST_OVERLAP, LONGEST_URL, Delivery, DeliveryState, Endpoint, Event
from dibs.services.webhooks.settings import WebhookSettings
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
from dibs.web.paging import DEFAULT_LIMIT, Cursor, Limit, cut_page, read_key_cursor, show_key_cursor

PREFIX = "/api/v1"
EXAMPLE_ID = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"
router = make_router("webhooks", PREFIX)
Named = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
EndpointId = Annotated[str, Path(min_length=1, max_length=200, examples=[EXAMPLE_ID])]
Owner = Annotated[
    Named | None, Query(description="Only for keys that belong to no tenant; the installation if left out.")
]
Reason = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_REASON),
    Field(description="Why; it stays in the audit log."),
]
Why = Annotated[Reason, Query(description="Why, for the audit log.")]
WORD = Field(strict=False)
_SHOWN = ("id", "endpoint_id", "event", "subject", "state", "attempts", "status", "error", "created_at", "tried_at")


class _Body(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [{"url": "https://example.com/hooks", "events": ["job.failed"], "reason": "new"}]
        },
    )


class WebhookBody(_Body):
    """An endpoint to be made."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_URL)] = Field(
        description="Where messages are sent."
    )
    events: Annotated[list[Annotated[Event, WORD]], Field(min_length=1, max_length=len(Event))] = Field(
        description="What it is told of."
    )
    reason: Reason
    tenant: Named | None = Field(None, description="Only for keys that belong to no tenant.")


class RotateSecretBody(BaseModel):
    """How long the old secret goes on."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"reason": "every year", "overlap_seconds": 3600}]}
    )

    reason: Reason
    overlap_seconds: float | None = Field(
        None,
        ge=0,
        le=LONGEST_OVERLAP.total_seconds(),
        allow_inf_nan=False,
        description="How long messages are signed with both; 24 hours if left out.",
    )


class WebhookShape(BaseModel):
    """An endpoint."""

    id: str
    tenant: str | None
    url: str
    events: list[Event]
    created_by: str
    created_at: datetime
    disabled_at: datetime | None


class MadeWebhookShape(WebhookShape):
    """An endpoint, and its secret, this once."""

    secret: str


class WebhookList(BaseModel):
    """A page of endpoints."""

    webhooks: list[WebhookShape]
    next_cursor: str | None


class DeliveryShape(BaseModel):
    """A message on its way."""

    id: str
    endpoint_id: str
    event: Event
    subject: str
    state: DeliveryState
    attempts: int
    status: int | None
    error: str
    created_at: datetime
    tried_at: datetime | None


class DeliveryList(BaseModel):
    """A page of deliveries."""

    deliveries: list[DeliveryShape]
    next_cursor: str | None


async def _open(request: Request) -> Postroom:
    state = request.app.state
    return Postroom(state.directory, await state.engine.backend(), WebhookSettings.from_env())


def _by(request: Request, reason: str = "") -> By:
    return By(principal=request.state.principal, reason=reason)


def _write(endpoint: Endpoint, **more: Any) -> dict[str, Any]:
    return {**msgspec.structs.asdict(endpoint), **more}


def _show(delivery: Delivery) -> dict[str, Any]:
    return {name: getattr(delivery, name) for name in _SHOWN}


@router.get("/webhooks", **door(Scope.WEBHOOKS_READ, WebhookList))
async def list_webhooks(
    request: Request, tenant: Owner = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Response:
    """List the webhooks of a tenant, or of the installation itself; in the order they were made."""
    owner = request.state.principal.find_tenant(tenant)
    found = await actions.list_endpoints(await _open(request), owner, _by(request))
    page, next_cursor = cut_page(found, cursor, limit, key=lambda one: one.id)
    return answer({"webhooks": [_write(one) for one in page], "next_cursor": next_cursor})


@router.get("/webhooks/{endpoint_id}", **door(Scope.WEBHOOKS_READ, WebhookShape, refusals=(404,)))
async def get_webhook(request: Request, endpoint_id: EndpointId, tenant: Owner = None) -> Response:
    """Read one webhook."""
    owner = request.state.principal.find_tenant(tenant)
    return answer(_write(await actions.get_endpoint(await _open(request), owner, endpoint_id, _by(request))))


@router.post("/webhooks", **door(Scope.WEBHOOKS_WRITE, MadeWebhookShape, status=201, refusals=(400, 409)))
async def add_webhook(request: Request, body: WebhookBody) -> Response:
    """Have events told to a URL. The secret that signs them is in this answer, and nowhere else."""
    owner = request.state.principal.find_tenant(body.tenant)
    wanted = NewEndpoint(tenant=owner, url=body.url, events=tuple(body.events))
    endpoint, secret = await actions.add_endpoint(await _open(request), wanted, _by(request, body.reason))
    return answer(_write(endpoint, secret=secret), 201, location=f"{PREFIX}/webhooks/{endpoint.id}")


@router.post(
    "/webhooks/{endpoint_id}/rotate",
    **door(Scope.WEBHOOKS_WRITE, MadeWebhookShape, status=201, refusals=(400, 404, 409)),
)
async def rotate_webhook(
    request: Request, endpoint_id: EndpointId, body: RotateSecretBody, tenant: Owner = None
) -> Response:
    """Make another secret; both sign until the old one ends, after 24 hours unless told otherwise."""
    overlap = None if body.overlap_seconds is None else timedelta(seconds=body.overlap_seconds)
    owner, by = request.state.principal.find_tenant(tenant), _by(request, body.reason)
    endpoint, secret = await actions.rotate_secret(await _open(request), owner, endpoint_id, by, overlap=overlap)
    return answer(_write(endpoint, secret=secret), 201, location=f"{PREFIX}/webhooks/{endpoint.id}")


@router.delete("/webhooks/{endpoint_id}", **door(Scope.WEBHOOKS_WRITE, status=204, refusals=(404,)))
async def remove_webhook(request: Request, endpoint_id: EndpointId, reason: Why, tenant: Owner = None) -> Response:
    """Forget a webhook, and what is on its way to it."""
    owner = request.state.principal.find_tenant(tenant)
    await actions.remove_endpoint(await _open(request), owner, endpoint_id, _by(request, reason))
    return Response(status_code=204)


@router.get("/webhooks/{endpoint_id}/deliveries", **door(Scope.WEBHOOKS_READ, DeliveryList, refusals=(404,)))
async def list_deliveries(
    request: Request,
    endpoint_id: EndpointId,
    tenant: Owner = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Response:
    """List what was sent to a webhook, or is to be, the newest first."""
    owner, before = request.state.principal.find_tenant(tenant), read_key_cursor(cursor)
    found = await actions.list_deliveries(
        await _open(request), owner, endpoint_id, _by(request), before=before, limit=limit + 1
    )
    next_cursor = show_key_cursor(found[limit - 1].id) if len(found) > limit else None
    return answer({"deliveries": [_show(one) for one in found[:limit]], "next_cursor": next_cursor})
