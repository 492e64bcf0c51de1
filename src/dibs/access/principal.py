"""Who asks."""

from typing import Literal

import msgspec

from dibs.access.scopes import Scope
from dibs.errors import RequestRefused


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was recognised, and what they may do. `tenant` None: may name any tenant.

    `name` is what people call them; `actor` is what the audit log does.
    """

    actor: str
    tenant: str | None
    scopes: frozenset[Scope]
    kind: Literal["key", "user", "system"]
    name: str = ""

    def find_tenant(self, named: str | None = None) -> str | None:
        """Tell whose things are meant: their own tenant's, else those of the one that was named, else None for all."""
        if self.tenant is not None and named not in (None, self.tenant):
            message = f"this key belongs to tenant {self.tenant!r} and cannot name another one. Leave tenant out."
            raise RequestRefused(message, code="other_tenant", field="tenant")
        return self.tenant if self.tenant is not None else named
