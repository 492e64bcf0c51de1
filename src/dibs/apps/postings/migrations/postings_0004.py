"""Profiles of the people who apply, and the resumes that belong to them."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect

revision = "postings_0004"
down_revision = "postings_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "postings_profiles",
        *map(_text, ("tenant", "name", "full_name", "contact", "answers", "given_by")),
        *map(_instant, ("created_at", "updated_at")),
        sa.PrimaryKeyConstraint("tenant", "name", name="postings_profiles_key"),
    )
    protect("postings_profiles", api=EVERYTHING, worker=EVERYTHING)
    op.create_table(
        "postings_variants",
        *map(_text, ("tenant", "variant_id", "profile", "resume", "note")),
        _instant("created_at"),
        sa.PrimaryKeyConstraint("tenant", "variant_id", name="postings_variants_key"),
    )
    op.create_index("postings_variants_tenant_profile", "postings_variants", ["tenant", "profile"])
    protect("postings_variants", api=EVERYTHING, worker=EVERYTHING)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _instant(name: str) -> sa.Column[object]:
    return sa.Column(name, Instant, nullable=False)
