"""Users of the dashboard."""

from pydantic import BaseModel
from starlette.responses import Response

from dibs.access import actions
from dibs.access.model import By, NewUser
from dibs.access.scopes import Role, Scope
from dibs.server.call import Asked, Call
from dibs.server.pages.jobs import ActForm
from dibs.server.pages.listing import make_address
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to, render
from dibs.web.shapes.parts import Name, Reason, Tenant

router = make_page_router()


class UserForm(BaseModel):
    """A user to make."""

    name: Name
    role: Role
    password: str
    reason: Reason
    tenant: Name | None = None


class UserActForm(ActForm):
    """Which user is meant, by their tenant."""

    name: Name
    tenant: Name | None = None


class PasswordForm(UserActForm):
    """Another password."""

    password: str


@router.get("/users", **page(Scope.USERS_WRITE))
async def list_users(call: Asked, tenant: Tenant = None) -> Response:
    """List the users of a tenant, or of the installation."""
    meant, directory = call.find_tenant(tenant), call.app.state.directory
    tenants = await actions.list_tenants(directory, _by(call)) if call.principal.tenant is None else []
    return render(
        call,
        "server/access/users.html",
        users=await actions.list_users(directory, meant, _by(call)),
        tenant=meant,
        tenants=[one.name for one in tenants],
        roles=list(Role),
        now=await call.backend.reader.now(),
    )


@router.post("/users", **page(Scope.USERS_WRITE))
async def make_user(call: Asked) -> Response:
    """Make a user."""
    form = await read_form(call, UserForm)
    wanted = NewUser(tenant=call.find_tenant(form.tenant), name=form.name, role=form.role, password=form.password)
    user = await actions.create_user(call.directory, wanted, _by(call, form.reason))
    return go_to(make_address("/users", {"tenant": user.tenant}), f"User {user.name} can sign in.")


@router.post("/users/disable", **page(Scope.USERS_WRITE))
async def disable_user(call: Asked) -> Response:
    """Let a user in no more."""
    form = await read_form(call, UserActForm)
    tenant = call.find_tenant(form.tenant)
    await actions.disable_user(call.directory, tenant, form.name, _by(call, form.reason))
    return go_to(make_address("/users", {"tenant": tenant}), "Disabled. Their sessions have ended.")


@router.post("/users/password", **page(Scope.USERS_WRITE))
async def set_password(call: Asked) -> Response:
    """Give a user another password."""
    form = await read_form(call, PasswordForm)
    tenant = call.find_tenant(form.tenant)
    await actions.set_password(call.directory, tenant, form.name, form.password, _by(call, form.reason))
    return go_to(make_address("/users", {"tenant": tenant}), f"{form.name} signs in with the new password from now on.")


def _by(call: Call, reason: str = "") -> By:
    return By(principal=call.principal, reason=reason)
