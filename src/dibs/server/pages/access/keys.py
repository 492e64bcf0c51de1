"""API keys: making, rotating and revoking them. A secret is shown once, and never again."""

from collections.abc import Collection
from datetime import timedelta
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from dibs.access import actions
from dibs.access.model import ApiKey, By, NewKey
from dibs.access.scopes import Scope
from dibs.server.call import Asked, Call
from dibs.server.pages.jobs import ActForm
from dibs.server.pages.listing import make_address
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Name, Reason, Tenant

router = make_page_router()
# By weight; no subject has two of the last kind.
VERBS = (("read",), ("write",), ("operate", "erase"))
KeyId = Annotated[str, Path(min_length=1, max_length=200)]


class KeyForm(BaseModel):
    """A key to make."""

    reason: Reason
    scopes: list[Scope]
    name: Name
    tenant: Name | None = None
    days: Annotated[int, Field(ge=1, le=3_650)] | None = None


class KeyActForm(ActForm):
    """Which key is meant, by its tenant."""

    tenant: Name | None = None


@router.get("/keys", **page(Scope.KEYS_READ))
async def list_keys(call: Asked, tenant: Tenant = None) -> Response:
    """List the keys of a tenant, or of the installation."""
    return await _show_keys(call, call.find_tenant(tenant))


@router.post("/keys", **page(Scope.KEYS_WRITE))
async def make_key(call: Asked) -> Response:
    """Make a key, and show its secret this once."""
    form = await read_form(call, KeyForm)
    life = None if form.days is None else timedelta(days=form.days)
    wanted = NewKey(tenant=call.find_tenant(form.tenant), scopes=frozenset(form.scopes), name=form.name, life=life)
    key, secret = await actions.create_key(call.directory, wanted, _by(call, form.reason))
    return await _show_keys(call, key.tenant, made=key, secret=secret)


@router.post("/keys/{key_id}/rotate", **page(Scope.KEYS_WRITE))
async def rotate_key(call: Asked, key_id: KeyId) -> Response:
    """Make a key in the place of another, which goes on for a day."""
    form = await read_form(call, KeyActForm)
    tenant, directory = call.find_tenant(form.tenant), call.directory
    key, secret = await actions.rotate_key(directory, tenant, key_id, _by(call, form.reason))
    return await _show_keys(call, tenant, made=key, secret=secret)


@router.post("/keys/{key_id}/revoke", **page(Scope.KEYS_WRITE))
async def revoke_key(call: Asked, key_id: KeyId) -> Response:
    """End a key."""
    form = await read_form(call, KeyActForm)
    tenant = call.find_tenant(form.tenant)
    await actions.revoke_key(call.directory, tenant, key_id, _by(call, form.reason))
    return go_to(make_address("/keys", {"tenant": tenant}), "Revoked.")


async def _show_keys(call: Call, tenant: str | None, *, made: ApiKey | None = None, secret: str = "") -> Response:
    directory = call.app.state.directory
    keys = await actions.list_keys(directory, tenant, _by(call))
    tenants = (
        [one.name for one in await actions.list_tenants(directory, _by(call))] if call.principal.tenant is None else []
    )
    now = await call.backend.reader.now()
    return render(
        call,
        "server/access/keys.html",
        keys=sorted(keys, key=lambda key: (not key.is_alive(now), key.created_at)),
        tenant=tenant,
        tenants=tenants,
        scopes=group_scopes(call.principal.scopes),
        made=made,
        secret=secret,
        now=now,
    )


def group_scopes(scopes: Collection[str]) -> dict[str, list[str | None]]:
    """Give by subject what may be allowed, each verb in its place; None where there is nothing of the kind."""
    subjects = dict.fromkeys(scope.partition(":")[0] for scope in sorted(scopes))
    return {
        subject: [next((verb for verb in verbs if f"{subject}:{verb}" in scopes), None) for verbs in VERBS]
        for subject in subjects
    }


def _by(call: Call, reason: str = "") -> By:
    return By(principal=call.principal, reason=reason)
