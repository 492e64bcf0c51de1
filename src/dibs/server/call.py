"""One request, as routes see it: who asks, of which tenant, and the parts that can answer."""

from typing import Annotated

from fastapi import Depends, Request

from dibs.access.directory import Directory
from dibs.access.model import By
from dibs.access.principal import Principal
from dibs.engine.app import App
from dibs.engine.store.backend import Backend
from dibs.errors import RequestRefused
from dibs.server.arrivals import Arrivals
from dibs.server.hub import Hub
from dibs.server.lookups import Lookups
from dibs.web.idempotency import Ticket

DEFAULT_TENANT = "default"


class Call(Request):
    """Made for each request, behind the doorkeeper. A request itself, so that FastAPI can hand it on as it is.

    Routes ask for `Asked`. The few that are asked most often ask for `Call`: a dependency is a fifth of their price.
    """

    def __init__(self, request: Request, backend: Backend) -> None:
        super().__init__(request.scope, request.receive)
        state = request.app.state
        self.backend = backend
        self.principal: Principal = request.state.principal
        self.engine: App = state.engine
        self.hub: Hub = state.hub
        self.lookups: Lookups = state.lookups
        self.arrivals: Arrivals = state.arrivals
        self.directory: Directory = state.directory

    @property
    def request(self) -> Request:
        """The request itself, for what takes one."""
        return self

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
        # Not by an attribute of the state: most requests have none, and an AttributeError costs more than all the rest.
        found: Ticket | None = self.scope["state"].get("ticket")
        return found

    def find_tenant(self, named: str | None = None) -> str | None:
        """Tell whose things are meant: the key's tenant, else the one that was named, else None for all."""
        return self.principal.find_tenant(named)

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


async def give_call(request: Request) -> Call:
    """Give the call that the door has made."""
    if not isinstance(request, Call):
        message = f"{request.url.path} is no door. Make its router with dibs.web.doors.make_router."
        raise TypeError(message)
    return request


Asked = Annotated[Call, Depends(give_call)]
