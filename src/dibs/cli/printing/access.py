"""Tenants, keys and users as tables."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dibs.access.model import ApiKey, Tenant, User
from dibs.cli.printing.output import styled
from dibs.cli.printing.tables import make_table
from dibs.cli.spans import show_instant
from dibs.storage.sight import INSTALLATION


def tenants_table(tenants: Sequence[Tenant]) -> Table:
    """One line a tenant."""
    table = make_table("tenant", "created")
    for tenant in tenants:
        table.add_row(styled(tenant.name), show_instant(tenant.created_at))
    return table


def keys_table(keys: Sequence[ApiKey]) -> Table:
    """One line a key."""
    table = make_table("id", "key", "tenant", "name", "scopes", "ends", "last used", flexible=("scopes",))
    for key in keys:
        table.add_row(
            key.id,
            styled(f"{key.hint}…"),
            styled(key.tenant or INSTALLATION),
            styled(key.name),
            styled(" ".join(key.scopes)),
            _ends(key),
            show_instant(key.last_used_at),
        )
    return table


def _ends(key: ApiKey) -> Text:
    if key.revoked_at is not None:
        return styled("revoked", "red")
    return styled(show_instant(key.expires_at) or "never")


def users_table(users: Sequence[User]) -> Table:
    """One line a user."""
    table = make_table("user", "tenant", "role", "state", "last sign-in")
    for user in users:
        state = styled("disabled", "red") if user.disabled_at else styled("enabled", "green")
        tenant = styled(user.tenant or INSTALLATION)
        table.add_row(styled(user.name), tenant, user.role, state, show_instant(user.last_sign_in_at))
    return table
