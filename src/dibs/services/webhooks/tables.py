"""The tables of webhooks."""

from pathlib import Path

from sqlalchemy import BigInteger, Column, Index, Text

from dibs.storage.columns import Instant, Words
from dibs.storage.registry import Ownership, Section, owned_table

SECTION = Section(name="webhooks", migrations=Path(__file__).parent / "migrations")

ENDPOINTS = owned_table(
    "webhooks_endpoints",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("events", Words, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("disabled_at", Instant),
    Index(None, "tenant", "id"),
)
SECRETS = owned_table(
    "webhooks_secrets",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("endpoint_id", Text, nullable=False),
    # Sealed by storage.vault: a dump without the key is of no use.
    Column("sealed", Text, nullable=False),
    Column("ends_at", Instant),
    Index(None, "tenant", "endpoint_id"),
)
DELIVERIES = owned_table(
    "webhooks_deliveries",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("endpoint_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", BigInteger, nullable=False),
    Column("status", BigInteger),
    Column("error", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("tried_at", Instant),
    # When its job was stored. The two stores may be different ones, so that this comes after.
    Column("queued_at", Instant),
    Index(None, "tenant", "endpoint_id", "id"),
    Index(None, "tenant", "queued_at"),
    # An app may name what it is about after a person.
    encrypted=("subject", "body"),
)
# Also tells which tenants have endpoints at all, without showing any of them.
CURSORS = owned_table(
    "webhooks_cursors",
    Column("tenant", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
    ownership=Ownership(is_listed=True),
)
