"""One request, as routes see it: who asks, of which tenant, and the parts that can answer."""

from typing import Annotated

from fastapi import Depends, Request

from dibs.access.directory import Directory
from dibs.access.model import By
from dibs.access.principal import Principal
from dibs.engine.app import App
from dibs.engine.store.backend import Backend
from dibs.errors import RequestRefused
from dibs.server.hub import Hub
from dibs.server.lookups import Lookups
from dibs.web.idempotency import Ticket

DEFAULT_TENANT = "default"


class Call:
    """Made for each request, behind the doorkeeper."""

    def __init__(self, request: Request, backend: Backend) -> None:
        self.request = request
        self.backend = backend
        self.principal: Principal = request.state.principal
        self.app: App = request.app.state.engine
        self.hub: Hub = request.app.state.hub
        self.lookups: Lookups = request.app.state.lookups
        self.directory: Directory = request.app.state.directory

    @property
    def actor(self) -> str:
        """Who asks, for the audit log."""
        return self.principal.actor

    def by(self, reason: str = "") -> By:
        """Say who does something, and why."""
        return By(principal=self.principal, reason=reason)

    @property
    def ticket(self) -> Ticket | None:
        """The ticket of a request that came with an idempotency key."""
        return getattr(self.request.state, "ticket", None)

    def find_tenant(self, named: str | None = None) -> str | None:
        """Tell whose things are meant: the key's tenant, else the one that was named, else None for all."""
        own = self.principal.tenant
        if own is not None and named not in (None, own):
            message = f"this key belongs to tenant {own!r} and cannot name another one. Leave tenant out."
            raise RequestRefused(message, code="other_tenant", field="tenant")
        return own if own is not None else named

    def get_tenant(self, named: str | None = None) -> str:
        """Tell for whom something is written; without any name, for the default tenant."""
        return self.find_tenant(named) or DEFAULT_TENANT

    def can_see(self, tenant: str) -> bool:
        """Tell whether something of a tenant exists for this caller."""
        return self.principal.tenant in (None, tenant)

    def for_installation(self) -> None:
        """Refuse whoever belongs to one tenant: this concerns all of them."""
        if self.principal.tenant is not None:
            message = (
                f"this concerns every tenant, and the key belongs to {self.principal.tenant!r}. Use an operator's key."
            )
            raise RequestRefused(message, code="installation_only")


async def make_call(request: Request) -> Call:
    """Make the call of a request."""
    app: App = request.app.state.engine
    return Call(request, await app.backend())


Asked = Annotated[Call, Depends(make_call)]
