"""Tenants, keys and users."""

from datetime import timedelta
from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from dibs.access import actions
from dibs.access.model import NewKey, NewUser
from dibs.access.scopes import Scope
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.access import (
    KeyBody,
    KeyList,
    KeyShape,
    MadeKeyShape,
    PasswordBody,
    RotateBody,
    TenantBody,
    TenantList,
    TenantShape,
    UserBody,
    UserList,
    UserShape,
)
from dibs.server.shapes.jobs import EXAMPLE_ID, ActBody
from dibs.server.shapes.writing import write_record, write_records
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
from dibs.web.paging import DEFAULT_LIMIT, Cursor, Limit, cut_page
from dibs.web.shapes.parts import Name, Owner

router = make_router("access", PREFIX)
KeyId = Annotated[str, Path(min_length=1, max_length=200, examples=[EXAMPLE_ID])]
TenantName = Annotated[Name, Path(examples=["acme"])]
UserName = Annotated[Name, Path(examples=["ada"])]
_MAKING = (400, 404, 409)


@router.get("/tenants", **door(Scope.TENANTS_READ, TenantList))
async def list_tenants(call: Asked, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Response:
    """List tenants by name; a tenant's key sees its own."""
    found = await actions.list_tenants(call.directory, call.by())
    page, next_cursor = cut_page(sorted(found, key=lambda one: one.name), cursor, limit, key=lambda one: one.name)
    return answer({**write_records("tenants", page), "next_cursor": next_cursor})


@router.get("/tenants/{name}", **door(Scope.TENANTS_READ, TenantShape, refusals=(404,)))
async def get_tenant(call: Asked, name: TenantName) -> Response:
    """Read one tenant."""
    return answer(write_record(await actions.get_tenant(call.directory, name, call.by())))


@router.post("/tenants", **door(Scope.TENANTS_WRITE, TenantShape, status=201, refusals=(400, 409)))
async def create_tenant(call: Asked, body: TenantBody) -> Response:
    """Make a tenant. Only for keys of no tenant."""
    call.for_installation()
    return answer(write_record(await actions.create_tenant(call.directory, body.name, call.by(body.reason))), 201)


@router.get("/keys", **door(Scope.KEYS_READ, KeyList))
async def list_keys(call: Asked, tenant: Owner = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Response:
    """List the keys of a tenant, or of the installation itself; in the order they were made."""
    found = await actions.list_keys(call.directory, call.find_tenant(tenant), call.by())
    page, next_cursor = cut_page(found, cursor, limit, key=lambda one: one.id)
    return answer({**write_records("keys", page), "next_cursor": next_cursor})


@router.get("/keys/{key_id}", **door(Scope.KEYS_READ, KeyShape, refusals=(404,)))
async def get_key(call: Asked, key_id: KeyId, tenant: Owner = None) -> Response:
    """Read one key."""
    return answer(write_record(await actions.get_key(call.directory, call.find_tenant(tenant), key_id, call.by())))


@router.post("/keys", **door(Scope.KEYS_WRITE, MadeKeyShape, status=201, refusals=_MAKING))
async def create_key(call: Asked, body: KeyBody) -> Response:
    """Make a key. Its secret is in this answer, and nowhere else."""
    life = None if body.expires_in_seconds is None else timedelta(seconds=body.expires_in_seconds)
    tenant = call.find_tenant(body.tenant)
    wanted = NewKey(tenant=tenant, scopes=frozenset(body.scopes), name=body.name, life=life)
    key, secret = await actions.create_key(call.directory, wanted, call.by(body.reason))
    return answer({**write_record(key), "key": secret}, 201, location=f"{PREFIX}/keys/{key.id}")


@router.post("/keys/{key_id}/revoke", **door(Scope.KEYS_WRITE, KeyShape, refusals=(400, 404)))
async def revoke_key(call: Asked, key_id: KeyId, body: ActBody, tenant: Owner = None) -> Response:
    """End a key, within a second and everywhere. Ending it twice does nothing more."""
    meant = call.find_tenant(tenant)
    return answer(write_record(await actions.revoke_key(call.directory, meant, key_id, call.by(body.reason))))


@router.post("/keys/{key_id}/rotate", **door(Scope.KEYS_WRITE, MadeKeyShape, status=201, refusals=(400, 404)))
async def rotate_key(call: Asked, key_id: KeyId, body: RotateBody, tenant: Owner = None) -> Response:
    """Make a key that can do the same; the old one ends after the overlap, 24 hours unless said otherwise."""
    overlap = None if body.overlap_seconds is None else timedelta(seconds=body.overlap_seconds)
    by, meant = call.by(body.reason), call.find_tenant(tenant)
    key, secret = await actions.rotate_key(call.directory, meant, key_id, by, overlap=overlap)
    return answer({**write_record(key), "key": secret}, 201, location=f"{PREFIX}/keys/{key.id}")


@router.get("/users", **door(Scope.USERS_READ, UserList))
async def list_users(
    call: Asked, tenant: Owner = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Response:
    """List the users of a tenant, or of the installation itself, by name."""
    found = await actions.list_users(call.directory, call.find_tenant(tenant), call.by())
    page, next_cursor = cut_page(sorted(found, key=lambda one: one.name), cursor, limit, key=lambda one: one.name)
    return answer({**write_records("users", page), "next_cursor": next_cursor})


@router.get("/users/{name}", **door(Scope.USERS_READ, UserShape, refusals=(404,)))
async def get_user(call: Asked, name: UserName, tenant: Owner = None) -> Response:
    """Read one user."""
    return answer(write_record(await actions.get_user(call.directory, call.find_tenant(tenant), name, call.by())))


@router.post("/users", **door(Scope.USERS_WRITE, UserShape, status=201, refusals=_MAKING))
async def create_user(call: Asked, body: UserBody) -> Response:
    """Make a user, who may do no more than oneself."""
    tenant = call.find_tenant(body.tenant)
    wanted = NewUser(tenant=tenant, name=body.name, role=body.role, password=body.password)
    return answer(write_record(await actions.create_user(call.directory, wanted, call.by(body.reason))), 201)


@router.post("/users/{name}/disable", **door(Scope.USERS_WRITE, UserShape, refusals=(400, 404)))
async def disable_user(call: Asked, name: UserName, body: ActBody, tenant: Owner = None) -> Response:
    """Shut a user out, and end all of the user's sessions."""
    meant = call.find_tenant(tenant)
    return answer(write_record(await actions.disable_user(call.directory, meant, name, call.by(body.reason))))


@router.post("/users/{name}/password", **door(Scope.USERS_WRITE, UserShape, refusals=(400, 404)))
async def set_password(call: Asked, name: UserName, body: PasswordBody, tenant: Owner = None) -> Response:
    """Give a user another password, and end all of the user's sessions."""
    by, meant = call.by(body.reason), call.find_tenant(tenant)
    return answer(write_record(await actions.set_password(call.directory, meant, name, body.password, by)))
