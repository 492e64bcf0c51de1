"""Resumes that were handed in, and what people corrected in them."""

import sqlalchemy as sa
from alembic import op

from dibs.storage.columns import Instant
from dibs.storage.policies import EVERYTHING, protect

revision = "resumes_0001"
down_revision = None
branch_labels = ("resumes",)
depends_on = None


def upgrade() -> None:
    """Make the tables; workers write what they read, and see no corrections."""
    _make_uploads()
    _make_corrections()


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, Instant, nullable=nullable)


def _make_uploads() -> None:
    op.create_table(
        "resumes_uploads",
        *map(_text, ("id", "tenant", "document", "name", "declared", "state", "status", "person", "uploaded_by")),
        *map(_number, ("size", "round", "version")),
        _text("profile", nullable=True),
        _text("sheet", nullable=True),
        _instant("created_at"),
        _instant("read_at", nullable=True),
        _instant("reviewed_at", nullable=True),
        _text("reviewed_by", nullable=True),
        sa.PrimaryKeyConstraint("id", name="resumes_uploads_key"),
        sa.UniqueConstraint("tenant", "document", name="resumes_uploads_tenant_document_unique"),
    )
    op.create_index("resumes_uploads_tenant_id", "resumes_uploads", ["tenant", "id"])
    protect("resumes_uploads", api=EVERYTHING, worker="SELECT, UPDATE")


def _make_corrections() -> None:
    op.create_table(
        "resumes_corrections",
        *map(_text, ("id", "tenant", "resume_id", "section", "field", "value", "anchor", "actor")),
        _instant("at"),
        sa.PrimaryKeyConstraint("id", name="resumes_corrections_key"),
    )
    op.create_index("resumes_corrections_tenant_resume_id", "resumes_corrections", ["tenant", "resume_id"])
    protect("resumes_corrections", api=EVERYTHING)
