"""Endpoints, their secrets, deliveries, and how far the audit log was read."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect
from dibs.storage.registry import Ownership

revision = "webhooks_0001"
down_revision = None
branch_labels = ("webhooks",)
depends_on = None


def upgrade() -> None:
    """Make the tables; workers read endpoints and secrets, and write how deliveries went."""
    _make_endpoints()
    _make_secrets()
    _make_deliveries()
    _make_cursors()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, Instant, nullable=nullable)


def _make_endpoints() -> None:
    op.create_table(
        "webhooks_endpoints",
        *map(_text, ("id", "tenant", "url", "events", "created_by")),
        _instant("created_at"),
        _instant("disabled_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="webhooks_endpoints_key"),
    )
    op.create_index("webhooks_endpoints_tenant_id", "webhooks_endpoints", ["tenant", "id"])
    # A receiver that says it is gone for good is not asked again: the worker writes that down.
    protect("webhooks_endpoints", api=EVERYTHING, worker="SELECT, UPDATE")


def _make_secrets() -> None:
    op.create_table(
        "webhooks_secrets",
        *map(_text, ("id", "tenant", "endpoint_id", "sealed")),
        _instant("ends_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="webhooks_secrets_key"),
    )
    op.create_index("webhooks_secrets_tenant_endpoint_id", "webhooks_secrets", ["tenant", "endpoint_id"])
    protect("webhooks_secrets", api=EVERYTHING, worker="SELECT")


def _make_deliveries() -> None:
    op.create_table(
        "webhooks_deliveries",
        *map(_text, ("id", "tenant", "endpoint_id", "event", "subject", "body", "state")),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        sa.Column("status", sa.BigInteger),
        _text("error"),
        _instant("created_at"),
        *(_instant(name, nullable=True) for name in ("tried_at", "queued_at")),
        sa.PrimaryKeyConstraint("id", name="webhooks_deliveries_key"),
    )
    for columns in (["tenant", "endpoint_id", "id"], ["tenant", "queued_at"]):
        op.create_index(f"webhooks_deliveries_{'_'.join(columns)}", "webhooks_deliveries", columns)
    protect("webhooks_deliveries", api=EVERYTHING, worker=EVERYTHING)


def _make_cursors() -> None:
    op.create_table(
        "webhooks_cursors",
        _text("tenant"),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tenant", name="webhooks_cursors_key"),
    )
    protect("webhooks_cursors", Ownership(is_listed=True), api=EVERYTHING, worker=EVERYTHING)
