"""What an agent did that it may not."""

import sqlalchemy as sa
from alembic import op

revision = "postings_0003"
down_revision = "postings_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what runs lack."""
    op.add_column("postings_runs", sa.Column("breach", sa.Text, nullable=True))
