"""Somebody of whom data are held, over the wire."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from dibs.engine.personal.inquiry import SHORTEST_REFERENCE
from dibs.engine.store.checks.values import LONGEST_NAME
from dibs.web.shapes.parts import Body, Name, Reason

MOST_REFERENCES = 100
Reference = Annotated[str, StringConstraints(min_length=SHORTEST_REFERENCE, max_length=LONGEST_NAME)]
_EXAMPLE: dict[str, JsonValue] = {"references": ["ada@example.com"], "tenant": "acme", "reason": "asked by letter"}


class PersonBody(Body):
    """Who is meant, in whose data, and why. Do not write the name into the reason: it stays in the audit log."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [_EXAMPLE]})

    references: Annotated[list[Reference], Field(min_length=1, max_length=MOST_REFERENCES)] = Field(
        description="Whatever names this person and nobody else: addresses of mail, phone numbers, ids."
    )
    tenant: Name | None = Field(None, description="Whose data; those of the tenant `default` if left out.")
    reason: Reason


class ErasePersonBody(PersonBody):
    """The same, and whether it is only to be counted."""

    dry_run: bool = Field(default=False, description="Only count what would be erased.")


class ErasureShape(BaseModel):
    """How many things are gone, by who held them. `left`: how many are still there, `kept` says which and why.

    `id` is what the audit log calls it by; null where nothing was erased.
    """

    id: str | None
    counts: dict[str, int]
    kept: list[str]
    left: int
    dry_run: bool
