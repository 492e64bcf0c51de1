"""Answers under idempotency keys."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect

revision = "web_0001"
down_revision = None
branch_labels = ("web",)
depends_on = None


def upgrade() -> None:
    """Make the table; workers have no business with it."""
    op.create_table(
        "web_answers",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "tenant", "digest", "holder")),
        sa.Column("begun_at", Instant, nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=True),
        sa.PrimaryKeyConstraint("name", name="web_answers_key"),
    )
    op.create_index("web_answers_age", "web_answers", ["tenant", "begun_at"])
    protect("web_answers", api=EVERYTHING)
