"""What bodies are made of."""

import re
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from dibs.engine.store.checks.values import LONGEST_NAME, LONGEST_REASON

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d")
LONGEST_SECONDS = 36_500 * 86_400


class Body(BaseModel):
    """A body: every field by its name and its type, and no other."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _printable(text: str) -> str:
    if not text.isprintable():
        message = "must be printable, on one line"
        raise ValueError(message)
    return text


def _said(text: str) -> str:
    if not text.strip():
        message = "must say why"
        raise ValueError(message)
    return text


def _iso_text(given: Any) -> Any:
    # Left to itself, pydantic takes numbers and "1700000000" for instants, too.
    if not isinstance(given, str) or not _INSTANT.match(given):
        message = "must be an instant such as 2027-01-31T09:00:00Z"
        raise ValueError(message)
    return given


# JSON has no enums: a word of one comes as a string, which strict models would refuse.
WORD = Field(strict=False)
Instant = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_iso_text)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable)]
Reason = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_REASON),
    AfterValidator(_said),
    Field(description="Why; it stays in the audit log."),
]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_SECONDS, allow_inf_nan=False)]
Cents = Annotated[float, Field(ge=0, le=9_000_000_000, allow_inf_nan=False)]
Version = Annotated[str, Field(description="Another one as soon as it says something else. In quotes it is the ETag.")]
IfMatch = Annotated[
    str | None,
    Header(description="The ETag of what you have read: replaced only if it is still that.", examples=["*"]),
]
Owner = Annotated[
    Name | None, Query(description="Only for keys that belong to no tenant; the installation if left out.")
]
Tenant = Annotated[Name | None, Query(description="Only for keys that belong to no tenant; all tenants if left out.")]
ForTenant = Annotated[
    Name | None, Query(description="Only for keys that belong to no tenant; that of the tenant `default` if left out.")
]
