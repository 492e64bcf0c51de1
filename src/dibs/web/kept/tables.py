"""The table of kept answers. Bodies are sealed: without the caller's own key nobody can read them."""

from pathlib import Path

from sqlalchemy import Column, Index, LargeBinary, Text

from dibs.storage.columns import Instant
from dibs.storage.registry import Section, owned_table

SECTION = Section(name="web", migrations=Path(__file__).parent / "migrations")

ANSWERS = owned_table(
    "web_answers",
    Column("name", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("holder", Text, nullable=False),
    Column("begun_at", Instant, nullable=False),
    Column("answer", LargeBinary),
    Index("web_answers_age", "tenant", "begun_at"),
)
