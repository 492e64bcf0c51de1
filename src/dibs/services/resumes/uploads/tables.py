"""The tables of resumes that were handed in."""

from pathlib import Path

from sqlalchemy import BigInteger, Column, Index, Text, UniqueConstraint

from dibs.storage.columns import Instant
from dibs.storage.registry import Section, owned_table

SECTION = Section(name="resumes", migrations=Path(__file__).parent / "migrations")


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


UPLOADS = owned_table(
    "resumes_uploads",
    Column("id", Text, primary_key=True),
    *map(_text, ("tenant", "document", "name", "declared", "state", "status", "person", "uploaded_by")),
    *(Column(name, BigInteger, nullable=False) for name in ("size", "round", "version")),
    # The profile as it was read, as JSON, and where its words stand; corrections are apart, so that reading never
    # touches them.
    Column("profile", Text),
    Column("sheet", Text),
    Column("created_at", Instant, nullable=False),
    Column("read_at", Instant),
    Column("reviewed_at", Instant),
    Column("reviewed_by", Text),
    UniqueConstraint("tenant", "document"),
    Index(None, "tenant", "id"),
)
CORRECTIONS = owned_table(
    "resumes_corrections",
    Column("id", Text, primary_key=True),
    *map(_text, ("tenant", "resume_id", "section", "field", "value", "anchor", "actor")),
    Column("at", Instant, nullable=False),
    Index(None, "tenant", "resume_id"),
)
