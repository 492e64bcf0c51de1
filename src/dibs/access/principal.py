"""Who asks."""

from typing import Literal

import msgspec

from dibs.access.scopes import Scope


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was recognised, and what they may do. `tenant` None: may name any tenant.

    `name` is what people call them; `actor` is what the audit log does.
    """

    actor: str
    tenant: str | None
    scopes: frozenset[Scope]
    kind: Literal["key", "user", "system"]
    name: str = ""
