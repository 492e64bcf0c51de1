"""The tables of tenants, keys, users and sessions. No secret is in them: only hashes."""

from pathlib import Path

from sqlalchemy import Column, Integer, Text

from dibs.storage.columns import Instant, Words
from dibs.storage.registry import Ownership, Section, owned_table

SECTION = Section(name="access", migrations=Path(__file__).parent / "migrations")

TENANTS = owned_table(
    "access_tenants",
    Column("name", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    ownership=Ownership(column="name", is_listed=True),
)
KEYS = owned_table(
    "access_keys",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("hint", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("scopes", Words, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    Column("last_used_at", Instant),
    Column("replaces", Text),
    ownership=Ownership(shown_by="digest"),
)
USERS = owned_table(
    "access_users",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False, index=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("disabled_at", Instant),
    Column("last_sign_in_at", Instant),
    ownership=Ownership(shown_by="name"),
)
SESSIONS = owned_table(
    "access_sessions",
    Column("digest", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user_id", Text, nullable=False, index=True),
    Column("created_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
    ownership=Ownership(shown_by="digest"),
)
SETUPS = owned_table(
    "access_setups",
    Column("digest", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
)
# Guesses at passwords, counted by a hash of the account or of the address.
GUESSES = owned_table(
    "access_guesses",
    Column("tenant", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("begun_at", Instant, nullable=False, index=True),
)
# Acts on their way to the audit log, which may be in another store.
ACTS = owned_table(
    "access_acts",
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False, index=True),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
)
