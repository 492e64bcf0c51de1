"""Names in place of ids: the log knows people and keys by what never changes, and people by what they are called."""

from collections.abc import Iterable

from dibs.access.principal import Principal
from dibs.access.store import find_names
from dibs.storage.sight import INSTALLATION, sight_of
from dibs.storage.tables import Tables

KINDS = ("user", "key")
# A page of the log seldom tells of more tenants; the others' ids stay ids.
MOST_TENANTS = 8


async def name_actors(principal: Principal, tables: Tables, seen: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Give the names of those users and keys that the reader may know, by how the log calls them.

    `seen`: who, and in whose tenant. A tenant's reader is not told how people of the installation are called.
    """
    wanted = {(actor, tenant) for actor, tenant in seen if actor.partition(":")[0] in KINDS}
    own = principal.tenant
    tenants = {own} if own is not None else {None, *(None if one == INSTALLATION else one for _, one in wanted)}
    ids = {actor.partition(":")[2] for actor, _ in wanted}
    names: dict[str, str] = {}
    if ids:
        for tenant in sorted(tenants, key=lambda one: one or "")[:MOST_TENANTS]:
            async with tables.reading(sight_of(tenant)) as transaction:
                names |= await find_names(transaction, ids)
    return names
