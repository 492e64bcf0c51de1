"""The tables of boards, postings and runs."""

from pathlib import Path

from sqlalchemy import BigInteger, Boolean, Column, Index, Text, UniqueConstraint

from dibs.storage.columns import Instant
from dibs.storage.registry import Section, owned_table

SECTION = Section(name="postings", migrations=Path(__file__).parent / "migrations")


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _instant(name: str) -> Column[object]:
    return Column(name, Instant, nullable=False)


BOARDS = owned_table(
    "postings_boards",
    Column("tenant", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    *map(_text, ("provider", "token", "fence", "approval", "role_rule")),
    _instant("created_at"),
    Column("crawled_at", Instant),
    Column("complete_at", Instant),
)
POSTINGS = owned_table(
    "postings_postings",
    Column("id", Text, primary_key=True),
    *map(_text, ("tenant", "board", "external_id", "state", "reason", "title", "role", "content", "digest", "sketch")),
    Column("misses", BigInteger, nullable=False),
    *map(_instant, ("first_seen_at", "last_seen_at", "changed_at", "state_at")),
    # The claim: whose it is, the number that fences its writes, and until when nobody else may have it.
    Column("holder", Text),
    Column("applied_run", Text),
    Column("token", BigInteger, nullable=False),
    Column("expires_at", Instant),
    Column("is_held", Boolean, nullable=False),
    UniqueConstraint("tenant", "board", "external_id"),
    Index(None, "tenant", "state", "id"),
    Index(None, "tenant", "role"),
    Index(None, "tenant", "external_id"),
    Index(None, "tenant", "expires_at"),
)
RUNS = owned_table(
    "postings_runs",
    Column("tenant", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    *map(_text, ("posting_id", "variant_id", "state", "request_digest", "artifacts")),
    Column("error", Text),
    Column("token", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    *map(_instant, ("created_at", "updated_at")),
    Column("fenced_at", Instant),
    Column("ended_at", Instant),
    Column("approved_at", Instant),
    Column("approved_by", Text),
    # What the claim was told of other postings that may be the same: told again in the same words.
    Column("akin", Text),
    Column("breach", Text),
    Index(None, "tenant", "posting_id"),
    Index(None, "tenant", "variant_id"),
    Index(None, "tenant", "created_at"),
    encrypted=("artifacts", "error"),
)
VERSIONS = owned_table(
    "postings_versions",
    Column("tenant", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    *map(_text, ("state", "patch")),
    Column("error", Text),
    _instant("at"),
    encrypted=("patch", "error"),
)
BLOBS = owned_table(
    "postings_blobs",
    Column("tenant", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    _text("content"),
    encrypted=("content",),
)
ACTS = owned_table(
    "postings_acts",
    Column("id", Text, primary_key=True),
    *map(_text, ("tenant", "posting_id", "action", "actor", "reason")),
    _instant("at"),
    # Whether it is in the audit log of the jobs, or has no business there.
    Column("is_forwarded", Boolean, nullable=False),
    Index(None, "tenant", "posting_id"),
)
# One row for each value that a question was answered with.
ANSWERS = owned_table(
    "postings_answers",
    *(Column(name, Text, primary_key=True) for name in ("tenant", "key", "value_digest")),
    *map(_text, ("question", "value", "source")),
    Column("run_id", Text),
    Column("approved_by", Text),
    Column("approved_at", Instant),
    _instant("noted_at"),
    encrypted=("value",),
)
CAPS = owned_table(
    "postings_caps",
    *(Column(name, Text, primary_key=True) for name in ("tenant", "scope", "name")),
    Column("most_a_day", BigInteger),
    Column("cool_down_seconds", BigInteger),
)
PROFILES = owned_table(
    "postings_profiles",
    *(Column(name, Text, primary_key=True) for name in ("tenant", "name")),
    *map(_text, ("full_name", "contact", "answers", "given_by")),
    *map(_instant, ("created_at", "updated_at")),
    encrypted=("full_name", "contact", "answers"),
)
# Which resume belongs to whom; agents may name others, too, which nobody has told us about.
VARIANTS = owned_table(
    "postings_variants",
    *(Column(name, Text, primary_key=True) for name in ("tenant", "variant_id")),
    *map(_text, ("profile", "resume", "note")),
    _instant("created_at"),
    Index(None, "tenant", "profile"),
    encrypted=("resume", "note"),
)
