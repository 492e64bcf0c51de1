"""Whose key or user is meant."""

from typing import TYPE_CHECKING

from dibs.errors import BadInput

if TYPE_CHECKING:
    from dibs.access.directory import Directory


def read_owner(tenant: str | None, *, is_everywhere: bool) -> str | None:
    """Read two options of which one must be given; None: the installation."""
    if (tenant is None) is not is_everywhere:
        raise BadInput("say whose it is: --tenant NAME, or --all-tenants for one that may name any tenant.")
    return tenant


async def every_owner(directory: "Directory") -> list[str | None]:
    """Give the installation and all tenants."""
    from dibs.access import actions
    from dibs.access.model import by_system

    return [None, *(tenant.name for tenant in await actions.list_tenants(directory, by_system("cli")))]


async def find_key_owner(directory: "Directory", key_id: str) -> str | None:
    """Tell whose key an id is; one that nobody has is left to the action, which refuses it."""
    from dibs.access import actions
    from dibs.access.model import by_system

    for owner in await every_owner(directory):
        if any(key.id == key_id for key in await actions.list_keys(directory, owner, by_system("cli"))):
            return owner
    return None


async def find_user_owner(directory: "Directory", name: str) -> str | None:
    """The same for a user by name."""
    from dibs.access import store
    from dibs.access.model import fit_login
    from dibs.storage.sight import sight_of

    login = fit_login(name)
    async with directory.tables.reading(sight_of(None, presented=login)) as transaction:
        found = await store.find_user(transaction, login)
    return None if found is None else found.tenant
