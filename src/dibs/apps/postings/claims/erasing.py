"""Every statement that finds and forgets what the tables of postings hold about a person."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Table, delete, select, update

from dibs.apps.postings.claims.artifacts import find_blobs
from dibs.apps.postings.model import Posting
from dibs.apps.postings.profiles.store import write_answers
from dibs.apps.postings.store import content_row, read_content
from dibs.apps.postings.tables import ACTS, ANSWERS, BLOBS, CAPS, POSTINGS, PROFILES, RUNS, VARIANTS, VERSIONS
from dibs.engine.personal.inquiry import Inquiry
from dibs.kit.codec import decode_json
from dibs.storage.transaction import Transaction

Row = Mapping[str, Any]
Rows = dict[str, list[Row]]
_PAGE = 500
NOTHING = "{}"
# What tells whose profile it is. An answer may name anybody: whoever recommends somebody, for one.
_OWN = ("name", "full_name", "contact")
# An act on an answer is called after its question.
_OF_ACTS = ("actor", "reason", "posting_id")
# What of which table is written as JSON.
_AS_JSON = frozenset({"artifacts", "patch", "answers"})


async def find_rows(transaction: Transaction, inquiry: Inquiry) -> Rows:
    """Find rows that name a person, by kind. Long values stand apart: whatever leads to one that does is meant, too."""
    blobs = [row async for row in _walk(transaction, BLOBS, "digest") if inquiry.names_in_json(row["content"])]
    digests = {row["digest"] for row in blobs}
    profiles, variants = await _find_profiles(transaction, inquiry)
    own = {row["variant_id"] for row in variants}
    runs = [
        row
        async for row in _walk(transaction, RUNS, "run_id")
        # What was sent with somebody's resume is about them, whether it names them or not.
        if (row["variant_id"] in own and row["artifacts"] != NOTHING)
        or _names(inquiry, row, "variant_id")
        or _is_about(inquiry, row, "artifacts", digests)
    ]
    named = {row["run_id"] for row in runs}
    versions = [
        row
        async for row in _walk(transaction, VERSIONS, "run_id", "version")
        if row["run_id"] in named or _is_about(inquiry, row, "patch", digests)
    ]
    postings = [row async for row in _walk(transaction, POSTINGS, "id") if _is_posting_about(inquiry, row)]
    acts = [row async for row in _walk(transaction, ACTS, "id") if _names(inquiry, row, *_OF_ACTS)]
    # What a run answered stands in the ledger, too.
    answers = [
        row
        async for row in _walk(transaction, ANSWERS, "key", "value_digest")
        if row["run_id"] in named or _names(inquiry, row, "question", "value", "approved_by")
    ]
    found = {"blob": blobs, "run": runs, "version": versions, "posting": postings, "act": acts, "answer": answers}
    found |= {"profile": profiles, "variant": variants}
    # A run that was erased is still there, and holds nothing any more.
    return {kind: rows for kind, rows in found.items() if rows}


async def count_lasting(transaction: Transaction, inquiry: Inquiry) -> tuple[int, int]:
    """Count what is called after the person and has to stay: runs by their ids, caps by their names."""
    runs = [row async for row in _walk(transaction, RUNS, "run_id") if _names(inquiry, row, "run_id")]
    caps = [row async for row in _walk(transaction, CAPS, "scope", "name") if _names(inquiry, row, "name")]
    return len(runs), len(caps)


def list_others(inquiry: Inquiry, found: Rows) -> list[str]:
    """Name the profiles that name the person in answers alone: nobody can tell whether they are theirs."""
    named = (row for row in found.get("profile", ()) if _names(inquiry, row, "answers"))
    return [row["name"] for row in named if not _names(inquiry, row, *_OWN)]


async def find_contacts(transaction: Transaction, inquiry: Inquiry) -> list[str]:
    """Give where employers reach the person: other parts know them by that."""
    return [row["contact"] async for row in _walk(transaction, PROFILES, "name") if _names(inquiry, row, *_OWN)]


async def _find_profiles(transaction: Transaction, inquiry: Inquiry) -> tuple[list[Row], list[Row]]:
    fields = (*_OWN, "answers", "given_by")
    profiles = [row async for row in _walk(transaction, PROFILES, "name") if _names(inquiry, row, *fields)]
    own = {row["name"] for row in profiles if _names(inquiry, row, *_OWN)}
    variants = [
        row
        async for row in _walk(transaction, VARIANTS, "variant_id")
        if row["profile"] in own or _names(inquiry, row, "variant_id", "resume", "note")
    ]
    return profiles, variants


async def _erase_profiles(transaction: Transaction, inquiry: Inquiry, found: Rows) -> None:
    for row in found.get("variant", ()):
        await transaction.change(delete(VARIANTS).where(VARIANTS.c.variant_id == row["variant_id"]))
    for row in found.get("profile", ()):
        is_it = PROFILES.c.name == row["name"]
        if _names(inquiry, row, *_OWN):
            await transaction.change(delete(PROFILES).where(is_it))
        else:
            # Somebody else's, whom the person wrote down, or who names them in an answer.
            said = {inquiry.redact(key): inquiry.redact(value) for key, value in decode_json(row["answers"]).items()}
            values = {"answers": write_answers(said), "given_by": inquiry.redact(row["given_by"])}
            await transaction.change(update(PROFILES).where(is_it).values(**values))


async def erase_rows(transaction: Transaction, inquiry: Inquiry, found: Rows) -> None:
    """Forget what was sent in, and profiles; take the references out of what has to stay."""
    await _erase_profiles(transaction, inquiry, found)
    for row in found.get("blob", ()):
        await transaction.change(delete(BLOBS).where(BLOBS.c.digest == row["digest"]))
    for row in found.get("version", ()):
        is_it = (VERSIONS.c.run_id == row["run_id"]) & (VERSIONS.c.version == row["version"])
        await transaction.change(delete(VERSIONS).where(is_it))
    for row in found.get("answer", ()):
        is_it = (ANSWERS.c.key == row["key"]) & (ANSWERS.c.value_digest == row["value_digest"])
        await transaction.change(delete(ANSWERS).where(is_it))
    for row in found.get("run", ()):
        values = {"artifacts": NOTHING, "error": _redact(inquiry, row["error"])}
        values |= {name: _redact(inquiry, row[name]) for name in ("approved_by", "variant_id")}
        await transaction.change(update(RUNS).where(RUNS.c.run_id == row["run_id"]).values(**values))
    for row in found.get("posting", ()):
        # Its digest stays: else the next crawl would take the board's own words for news.
        content = content_row(row["board"], redact_posting(inquiry, read_content(row["content"])))
        content["reason"] = inquiry.redact(row["reason"])
        await transaction.change(update(POSTINGS).where(POSTINGS.c.id == row["id"]).values(**content))
    for row in found.get("act", ()):
        said = {name: inquiry.redact(row[name]) for name in _OF_ACTS}
        await transaction.change(update(ACTS).where(ACTS.c.id == row["id"]).values(**said))


def redact_posting(inquiry: Inquiry, posting: Posting) -> Posting:
    """Take the references out of what a board says, but not out of what it calls the posting by."""
    redacted: Posting = _redact_all(inquiry, posting)
    return structs.replace(redacted, external_id=posting.external_id)


def _redact_all(inquiry: Inquiry, value: Any) -> Any:
    """Take the references out of all texts. What one of a few words says, such as `remote`, is none."""
    if type(value) is str:
        return inquiry.redact(value)
    if isinstance(value, tuple):
        return tuple(_redact_all(inquiry, one) for one in value)
    if isinstance(value, Struct):
        fields = {name: _redact_all(inquiry, getattr(value, name)) for name in value.__struct_fields__}
        return structs.replace(value, **fields)
    return value


def _redact(inquiry: Inquiry, text: str | None) -> str | None:
    return None if text is None else inquiry.redact(text)


async def _walk(transaction: Transaction, table: Table, *keys: str) -> Any:
    """Read a table page by page, in the order of its keys."""
    columns = [table.c[name] for name in keys]
    offset = 0
    while True:
        question = select(table).order_by(*columns).limit(_PAGE).offset(offset)
        rows = await transaction.fetch(question)
        for row in rows:
            yield {**row, "id": ":".join(str(row[name]) for name in keys)}
        if len(rows) < _PAGE:
            return
        offset += _PAGE


def _names(inquiry: Inquiry, row: Row, *fields: str) -> bool:
    return any(inquiry.names(decode_json(row[name]) if name in _AS_JSON else row[name]) for name in fields)


def _is_posting_about(inquiry: Inquiry, row: Row) -> bool:
    posting = read_content(row["content"])
    return redact_posting(inquiry, posting) != posting or _names(inquiry, row, "reason")


def _is_about(inquiry: Inquiry, row: Row, field: str, digests: set[str]) -> bool:
    others: Sequence[str] = [name for name in ("error", "approved_by") if name in row]
    return _names(inquiry, row, field, *others) or not digests.isdisjoint(find_blobs(decode_json(row[field])))
