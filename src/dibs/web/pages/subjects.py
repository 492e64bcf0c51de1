"""Where what the audit log tells of is shown."""

from collections.abc import Iterable, Sequence

import msgspec

from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.web.pages.showing import segment


class SubjectPage(msgspec.Struct, frozen=True, kw_only=True):
    """The page of subjects that begin so; without an address they have none.

    The address may have `{name}`, what follows the prefix, and `{tenant}`, whose it is.
    """

    prefix: str
    address: str
    scope: Scope
    for_installation: bool = False

    def lead_to(self, subject: str, tenant: str) -> str:
        """Give the address of one of them."""
        return self.address.format(name=segment(subject.removeprefix(self.prefix)), tenant=segment(tenant))


def order(pages: Iterable[SubjectPage]) -> tuple[SubjectPage, ...]:
    """Put those that say more of a subject before those that say less."""
    return tuple(sorted(pages, key=lambda page: -len(page.prefix)))


def find_page(pages: Sequence[SubjectPage], subject: str, tenant: str, principal: Principal) -> str:
    """Tell where somebody may look at a subject; nowhere: an empty text."""
    for page in pages:
        if subject.startswith(page.prefix):
            is_open = page.scope in principal.scopes and not (page.for_installation and principal.tenant is not None)
            return page.lead_to(subject, tenant) if is_open else ""
    return ""
