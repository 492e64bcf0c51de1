"""Tenants, keys and users over the wire. No hash of anything is among it."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from dibs.access.model import LONGEST_LIFE, LONGEST_PASSWORD, SHORTEST_PASSWORD
from dibs.access.scopes import Role, Scope
from dibs.web.shapes.parts import WORD, Body, Name, Reason

Life = Annotated[float, Field(gt=0, le=LONGEST_LIFE.total_seconds(), allow_inf_nan=False)]
Password = Annotated[str, StringConstraints(min_length=SHORTEST_PASSWORD, max_length=LONGEST_PASSWORD)]
OfTenant = Annotated[Name | None, Field(description="Only for keys that belong to no tenant; left out: nobody's.")]
EXAMPLE_PASSWORD = "correct horse battery"  # noqa: S105 - an example


def _example(**fields: JsonValue) -> ConfigDict:
    shown = {**fields, "reason": "a new customer"}
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [shown]})


class TenantBody(Body):
    """A tenant to make, and why."""

    model_config = _example(name="acme")

    name: Name = Field(description="What it is called everywhere.")
    reason: Reason


class TenantShape(BaseModel):
    """Somebody whose jobs and rows nobody else sees."""

    name: str
    created_at: datetime


class TenantList(BaseModel):
    """Tenants by name."""

    tenants: list[TenantShape]
    next_cursor: str | None


class KeyBody(Body):
    """A key to make, and why. Nobody gives away a scope that they lack."""

    model_config = _example(tenant="acme", scopes=["jobs:read", "jobs:write"], name="importer")

    scopes: Annotated[list[Annotated[Scope, WORD]], Field(min_length=1, max_length=len(Scope))] = Field(
        description="What it may do."
    )
    reason: Reason
    tenant: OfTenant = None
    name: Annotated[str, StringConstraints(max_length=200)] = Field("", description="What it is for.")
    expires_in_seconds: Life | None = Field(None, description="Left out: it has no end.")


class RotateBody(Body):
    """Why a key is exchanged, and how long the old one goes on."""

    model_config = _example(overlap_seconds=86_400)

    reason: Reason
    overlap_seconds: Annotated[float, Field(ge=0, le=LONGEST_LIFE.total_seconds(), allow_inf_nan=False)] | None = Field(
        None, description="How long the old one goes on; as the installation has it if left out, 24 hours."
    )


class KeyShape(BaseModel):
    """A key without its secret; `hint` is how it begins."""

    id: str
    tenant: str | None
    name: str
    hint: str
    scopes: list[Scope]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaces: str | None


class MadeKeyShape(KeyShape):
    """A key that was just made. `key` is the secret itself: it is shown this once."""

    key: str


class KeyList(BaseModel):
    """Keys in the order they were made."""

    keys: list[KeyShape]
    next_cursor: str | None


class UserBody(Body):
    """A user to make, and why."""

    model_config = _example(tenant="acme", name="ada", role="operator", password=EXAMPLE_PASSWORD)

    name: Name = Field(description="What they sign in with.")
    role: Annotated[Role, WORD] = Field(description="What they may do.")
    password: Password = Field(description="What nobody else knows.")
    reason: Reason
    tenant: OfTenant = None


class PasswordBody(Body):
    """Another password, and why."""

    model_config = _example(password=EXAMPLE_PASSWORD)

    password: Password = Field(description="The new one.")
    reason: Reason


class UserShape(BaseModel):
    """A user of the dashboard."""

    id: str
    tenant: str | None
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    last_sign_in_at: datetime | None


class UserList(BaseModel):
    """Users by name."""

    users: list[UserShape]
    next_cursor: str | None
