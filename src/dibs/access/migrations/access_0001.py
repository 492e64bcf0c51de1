"""Tenants, keys, users, sessions, setup links, guesses, acts."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect
from dibs.storage.registry import Ownership

revision = "access_0001"
down_revision = None
branch_labels = ("access",)
depends_on = None


def upgrade() -> None:
    """Make the tables; workers have no business with any of them."""
    _make_tenants()
    _make_keys()
    _make_users()
    _make_sessions()
    _make_setups()
    _make_guesses()
    _make_acts()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, Instant, nullable=nullable)


def _make_tenants() -> None:
    op.create_table(
        "access_tenants",
        _text("name"),
        _instant("created_at"),
        sa.PrimaryKeyConstraint("name", name="access_tenants_key"),
        sa.CheckConstraint("name <> '' AND name <> '*'", name="access_tenants_name"),
    )
    protect("access_tenants", Ownership(column="name", is_listed=True), api=EVERYTHING, worker="SELECT")


def _make_keys() -> None:
    op.create_table(
        "access_keys",
        *map(_text, ("id", "tenant", "name", "hint", "digest", "scopes", "created_by")),
        _instant("created_at"),
        *(_instant(name, nullable=True) for name in ("expires_at", "revoked_at", "last_used_at")),
        _text("replaces", nullable=True),
        sa.PrimaryKeyConstraint("id", name="access_keys_key"),
        sa.UniqueConstraint("digest", name="access_keys_digest_unique"),
    )
    op.create_index("access_keys_tenant", "access_keys", ["tenant"])
    protect("access_keys", Ownership(shown_by="digest"), api=EVERYTHING)


def _make_users() -> None:
    op.create_table(
        "access_users",
        *map(_text, ("id", "tenant", "name", "role", "password_hash")),
        _instant("created_at"),
        *(_instant(name, nullable=True) for name in ("disabled_at", "last_sign_in_at")),
        sa.PrimaryKeyConstraint("id", name="access_users_key"),
        sa.UniqueConstraint("name", name="access_users_name_unique"),
    )
    op.create_index("access_users_tenant", "access_users", ["tenant"])
    protect("access_users", Ownership(shown_by="name"), api=EVERYTHING)


def _make_sessions() -> None:
    op.create_table(
        "access_sessions",
        *map(_text, ("digest", "tenant", "user_id")),
        *map(_instant, ("created_at", "seen_at", "expires_at")),
        sa.PrimaryKeyConstraint("digest", name="access_sessions_key"),
    )
    op.create_index("access_sessions_user_id", "access_sessions", ["user_id"])
    op.create_index("access_sessions_expires_at", "access_sessions", ["expires_at"])
    protect("access_sessions", Ownership(shown_by="digest"), api=EVERYTHING)


def _make_setups() -> None:
    op.create_table(
        "access_setups",
        *map(_text, ("digest", "tenant")),
        *map(_instant, ("created_at", "expires_at")),
        _instant("used_at", nullable=True),
        sa.PrimaryKeyConstraint("digest", name="access_setups_key"),
    )
    protect("access_setups", api=EVERYTHING)


def _make_guesses() -> None:
    op.create_table(
        "access_guesses",
        *map(_text, ("tenant", "subject")),
        sa.Column("count", sa.Integer, nullable=False),
        _instant("begun_at"),
        sa.PrimaryKeyConstraint("tenant", "subject", name="access_guesses_key"),
    )
    op.create_index("access_guesses_begun_at", "access_guesses", ["begun_at"])
    protect("access_guesses", api=EVERYTHING)


def _make_acts() -> None:
    op.create_table(
        "access_acts",
        *map(_text, ("id", "tenant", "action", "subject", "actor", "reason")),
        _instant("at"),
        sa.PrimaryKeyConstraint("id", name="access_acts_key"),
    )
    op.create_index("access_acts_tenant", "access_acts", ["tenant"])
    protect("access_acts", api=EVERYTHING)
