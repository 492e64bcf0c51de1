"""The ledger of answers, caps and cool-downs, and what a claim was told of other postings of its role."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect

revision = "postings_0002"
down_revision = "postings_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and add what runs lack."""
    op.add_column("postings_runs", sa.Column("akin", sa.Text, nullable=True))
    op.create_index("postings_runs_tenant_created_at", "postings_runs", ["tenant", "created_at"])
    _make_answers()
    _make_caps()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _make_answers() -> None:
    op.create_table(
        "postings_answers",
        *map(_text, ("tenant", "key", "value_digest", "question", "value", "source")),
        *(_text(name, nullable=True) for name in ("run_id", "approved_by")),
        sa.Column("approved_at", Instant, nullable=True),
        sa.Column("noted_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "key", "value_digest", name="postings_answers_key"),
    )
    protect("postings_answers", api=EVERYTHING, worker=EVERYTHING)


def _make_caps() -> None:
    op.create_table(
        "postings_caps",
        *map(_text, ("tenant", "scope", "name")),
        *(sa.Column(name, sa.BigInteger, nullable=True) for name in ("most_a_day", "cool_down_seconds")),
        sa.PrimaryKeyConstraint("tenant", "scope", "name", name="postings_caps_key"),
    )
    protect("postings_caps", api=EVERYTHING, worker=EVERYTHING)
