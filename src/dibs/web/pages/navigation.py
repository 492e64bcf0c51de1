"""What the pages offer to go to."""

from collections.abc import Iterable, Sequence

import msgspec

from dibs.access.principal import Principal
from dibs.access.scopes import Scope


class NavItem(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: shown to whoever has the scope; `for_installation`: only to those who belong to no tenant.

    `icon` is one of those in `web/icons.html`.
    """

    label: str
    path: str
    scope: Scope
    group: str = ""
    for_installation: bool = False
    icon: str = "page"


class NavGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Entries under one heading."""

    label: str
    items: tuple[NavItem, ...]


def offer(items: Iterable[NavItem], principal: Principal) -> list[NavGroup]:
    """Give what somebody may go to, grouped in the order in which groups first appear."""
    groups: dict[str, list[NavItem]] = {}
    for item in items:
        if may_go(item, principal):
            groups.setdefault(item.group, []).append(item)
    return [NavGroup(label=label, items=tuple(found)) for label, found in groups.items()]


def may_go(item: NavItem, principal: Principal) -> bool:
    """Whether somebody would be let in."""
    return item.scope in principal.scopes and not (item.for_installation and principal.tenant is not None)


def find_current(items: Sequence[NavItem], path: str) -> NavItem | None:
    """Tell under which entry a page stands: the one with the longest path that it begins with.

    Every path begins with that of the front page, so nothing but itself stands under it.
    """
    fitting = [
        item
        for item in items
        if path == item.path or (item.path != "/" and path.startswith(f"{item.path.rstrip('/')}/"))
    ]
    return max(fitting, key=lambda item: len(item.path), default=None)
