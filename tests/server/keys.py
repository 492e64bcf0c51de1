"""A gatekeeper that knows a few keys, until the real one takes its place."""

from dibs.access.principal import Principal
from dibs.access.scopes import Scope

ALL = frozenset(Scope)
ACME, GLOBEX, OPERATOR, NOTHING = "key-of-acme", "key-of-globex", "key-of-operator", "key-without-scopes"


class KeyRing:
    """Keys by name."""

    def __init__(self) -> None:
        self.keys = {
            ACME: Principal(actor="acme-key", tenant="acme", scopes=ALL, kind="key"),
            GLOBEX: Principal(actor="globex-key", tenant="globex", scopes=ALL, kind="key"),
            OPERATOR: Principal(actor="operator-key", tenant=None, scopes=ALL, kind="key"),
            NOTHING: Principal(actor="poor-key", tenant=None, scopes=frozenset(), kind="key"),
        }

    def add(self, secret: str, *scopes: Scope, tenant: str | None = None) -> str:
        """Know one more."""
        self.keys[secret] = Principal(actor=secret, tenant=tenant, scopes=frozenset(scopes), kind="key")
        return secret

    async def authenticate_key(self, secret: str) -> Principal | None:
        return self.keys.get(secret)

    async def authenticate_session(self, cookie: str, *, is_use: bool = True) -> Principal | None:
        return None
