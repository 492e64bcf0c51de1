"""The audit log over the wire."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from dibs.web.paging import PageQuery
from dibs.web.shapes.parts import Body, Instant, Name, Reason, Seconds


class AuditQuery(PageQuery):
    """Which entries are meant, and which page of them. `since` is the first instant meant, `until` the first not."""

    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; all tenants if left out.")
    actor: Name | None = Field(None, description="Only what this one did, such as `key:ID` or `user:ID`.")
    action: Name | None = Field(None, description="Only this, such as `JOB_RETRIED`.")
    subject: Name | None = Field(None, description="Only what was done to this, such as `job:ID`.")
    since: Instant | None = Field(None, description="The first instant that is meant.")
    until: Instant | None = Field(None, description="The first that is not.")
    without: Name | None = Field(None, description="An action to leave out, such as `JOB_SUCCEEDED`.")


class AuditShape(BaseModel):
    """Who did what to what, when and why."""

    sequence: int
    at: datetime
    tenant: str
    actor: str
    action: str
    subject: str
    reason: str
    token: int | None
    detail: Any


class AuditPage(BaseModel):
    """One page of the log, newest first."""

    entries: list[AuditShape]
    next_cursor: str | None


class ChainShape(BaseModel):
    """What verifying the seals of a tenant has shown. `fault` null: every seal fits."""

    tenant: str
    sealed: int
    unsealed: int
    begins_at: int
    head: str
    fault: str | None


class VerifyShape(BaseModel):
    """What verifying has shown, tenant by tenant."""

    is_whole: bool
    chains: list[ChainShape]


class ForgetBody(Body):
    """Which entries to forget, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"tenant": "acme", "older_than_seconds": 31_536_000, "reason": "a year old"}]},
    )

    tenant: Name = Field(description="Whose entries.")
    older_than_seconds: Seconds = Field(description="Only those written longer ago.")
    reason: Reason


class ForgetShape(BaseModel):
    """How many entries were forgotten."""

    forgotten: int


class HealthShape(BaseModel):
    """Whether the server is there."""

    status: str
