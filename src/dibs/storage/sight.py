"""What one transaction may see."""

import msgspec

from dibs.errors import BadInput

# The installation's own rows: nobody's tenant may be called so.
INSTALLATION = "*"
LONGEST_TENANT = 200


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """Whose rows, and what was presented by somebody who is not known yet."""

    tenant: str
    presented: str = ""

    def __post_init__(self) -> None:
        if not self.tenant or len(self.tenant) > LONGEST_TENANT or not self.tenant.isprintable():
            message = f"tenant {self.tenant[:80]!r} is not a name. Use 1 to {LONGEST_TENANT} printable characters."
            raise BadInput(message)
        if "\x00" in self.presented:
            message = "what was presented holds a NUL. Send printable text."
            raise BadInput(message)


def sight_of(tenant: str | None, *, presented: str = "") -> Sight:
    """See the rows of a tenant; None: those of the installation itself."""
    return Sight(tenant=INSTALLATION if tenant is None else tenant, presented=presented)
