"""Boards, postings, runs, versions of their artifacts, long values apart, acts of people."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect

revision = "postings_0001"
down_revision = None
branch_labels = ("postings",)
depends_on = None


def upgrade() -> None:
    """Make the tables; workers crawl, so that they write here as the server does."""
    _make_boards()
    _make_postings()
    _make_runs()
    _make_versions()
    _make_blobs()
    _make_acts()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, Instant, nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _make_boards() -> None:
    op.create_table(
        "postings_boards",
        *map(_text, ("tenant", "name", "provider", "token", "fence", "approval", "role_rule")),
        _instant("created_at"),
        *(_instant(name, nullable=True) for name in ("crawled_at", "complete_at")),
        sa.PrimaryKeyConstraint("tenant", "name", name="postings_boards_key"),
    )
    protect("postings_boards", api=EVERYTHING, worker=EVERYTHING)


def _make_postings() -> None:
    op.create_table(
        "postings_postings",
        *map(_text, ("id", "tenant", "board", "external_id", "state", "reason", "title", "role", "content", "digest")),
        _text("sketch"),
        _number("misses"),
        *map(_instant, ("first_seen_at", "last_seen_at", "changed_at", "state_at")),
        *(_text(name, nullable=True) for name in ("holder", "applied_run")),
        _number("token"),
        _instant("expires_at", nullable=True),
        sa.Column("is_held", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="postings_postings_key"),
        sa.UniqueConstraint("tenant", "board", "external_id", name="postings_postings_tenant_board_external_id_unique"),
    )
    op.create_index("postings_postings_tenant_state_id", "postings_postings", ["tenant", "state", "id"])
    op.create_index("postings_postings_tenant_role", "postings_postings", ["tenant", "role"])
    op.create_index("postings_postings_tenant_external_id", "postings_postings", ["tenant", "external_id"])
    op.create_index("postings_postings_tenant_expires_at", "postings_postings", ["tenant", "expires_at"])
    protect("postings_postings", api=EVERYTHING, worker=EVERYTHING)


def _make_runs() -> None:
    op.create_table(
        "postings_runs",
        *map(_text, ("tenant", "run_id", "posting_id", "variant_id", "state", "request_digest", "artifacts")),
        _text("error", nullable=True),
        *map(_number, ("token", "version")),
        *map(_instant, ("created_at", "updated_at")),
        *(_instant(name, nullable=True) for name in ("fenced_at", "ended_at", "approved_at")),
        _text("approved_by", nullable=True),
        sa.PrimaryKeyConstraint("tenant", "run_id", name="postings_runs_key"),
    )
    op.create_index("postings_runs_tenant_posting_id", "postings_runs", ["tenant", "posting_id"])
    op.create_index("postings_runs_tenant_variant_id", "postings_runs", ["tenant", "variant_id"])
    protect("postings_runs", api=EVERYTHING, worker=EVERYTHING)


def _make_versions() -> None:
    op.create_table(
        "postings_versions",
        *map(_text, ("tenant", "run_id")),
        _number("version"),
        *map(_text, ("state", "patch")),
        _text("error", nullable=True),
        _instant("at"),
        sa.PrimaryKeyConstraint("tenant", "run_id", "version", name="postings_versions_key"),
    )
    protect("postings_versions", api=EVERYTHING, worker=EVERYTHING)


def _make_blobs() -> None:
    op.create_table(
        "postings_blobs",
        *map(_text, ("tenant", "digest", "content")),
        sa.PrimaryKeyConstraint("tenant", "digest", name="postings_blobs_key"),
    )
    protect("postings_blobs", api=EVERYTHING, worker=EVERYTHING)


def _make_acts() -> None:
    op.create_table(
        "postings_acts",
        *map(_text, ("id", "tenant", "posting_id", "action", "actor", "reason")),
        _instant("at"),
        sa.Column("is_forwarded", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="postings_acts_key"),
    )
    op.create_index("postings_acts_tenant_posting_id", "postings_acts", ["tenant", "posting_id"])
    protect("postings_acts", api=EVERYTHING, worker=EVERYTHING)
