"""What the pages of postings ask for, and carry along."""

from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict

from dibs.web.shapes.parts import Name, Reason

# A field of a form that was left empty comes as an empty text.
EMPTY = BeforeValidator(lambda given: given or None)


class TenantQuery(BaseModel):
    """Whose postings."""

    model_config = ConfigDict(extra="forbid")

    tenant: Annotated[Name | None, EMPTY] = None


class ActForm(BaseModel):
    """Why something is done, and for whom."""

    reason: Reason
    tenant: Name | None = None


def make_address(path: str, given: dict[str, Any]) -> str:
    """Write an address with what is given in it."""
    query = urlencode({name: value for name, value in given.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path


def hide(tenant: str | None) -> dict[str, str]:
    """What every form of a page carries along."""
    return {} if tenant is None else {"tenant": tenant}
