"""Every statement that finds and forgets what the tables of postings hold about a person."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import ColumnElement, Table, and_, delete, update

from dibs.apps.postings.claims.artifacts import BLOB, find_blobs
from dibs.apps.postings.claims.searching import PLACES, Row, Rows, Search, Seen
from dibs.apps.postings.model import Posting
from dibs.apps.postings.profiles.store import write_answers
from dibs.apps.postings.store import content_row, read_content
from dibs.engine.personal.inquiry import Inquiry, is_address
from dibs.kit.codec import decode_json
from dibs.storage.transaction import Transaction

NOTHING = "{}"
# What tells whose profile it is. An answer may name anybody: whoever recommends somebody, for one.
_OWN = ("name", "full_name", "contact")
# An act on an answer is called after its question.
_OF_ACTS = ("actor", "reason", "posting_id")
# What of which table is written as JSON.
_AS_JSON = frozenset({"artifacts", "patch", "answers"})
# What of a row tells who approved it: the rest is somebody else's.
_APPROVAL = ("id", "approved_by", "approved_at")
# No transaction is open for so long: what began before a look and was not to be seen then has ended.
_LONGEST_WRITE = timedelta(minutes=5)


async def find_rows(transaction: Transaction, inquiry: Inquiry, seen: Seen | None = None) -> Rows:
    """Find rows that name a person, by kind: in all tables, or, to write, again in what was seen.

    Long values stand apart: whatever leads to one that names the person is meant, too.
    """
    search, names = Search(transaction, seen), partial(_names, inquiry)
    # First, as whoever reports: who takes them in another order waits for one who waits for them.
    postings = await search.look("posting", lambda row: _is_posting_about(inquiry, row))
    blobs = await search.look("blob", lambda row: inquiry.names_in_json(row["content"]))
    found = {"posting": postings, "blob": blobs, **await _find_profiles(search, inquiry)}
    found |= await _find_runs(search, inquiry, found)
    found["own_blob"] = await _find_own_blobs(search, found)
    found["act"] = await search.look("act", lambda row: names(row, *_OF_ACTS))
    # A run that was erased is still there, and holds nothing any more.
    return {kind: rows for kind, rows in found.items() if rows}


async def _find_profiles(search: Search, inquiry: Inquiry) -> Rows:
    fields, names = (*_OWN, "answers", "given_by"), partial(_names, inquiry)
    profiles = await search.look("profile", lambda row: names(row, *fields))
    own = {row["name"] for row in profiles if names(row, *_OWN)}
    variants = await search.look(
        "variant", lambda row: row["profile"] in own or names(row, "variant_id", "resume", "note")
    )
    return {"profile": profiles, "variant": variants}


async def _find_runs(search: Search, inquiry: Inquiry, found: Rows) -> Rows:
    """Find what was sent in, and apart from it what the person has only approved."""
    digests = {row["digest"] for row in found["blob"]}
    own = {row["variant_id"] for row in found["variant"]}
    names = partial(_names, inquiry)
    runs = await search.look_by("variant_id", "run", own, lambda row: _is_run_about(inquiry, row, own, digests))
    named = {row["run_id"] for row in runs}
    # All runs before answers, as whoever approves.
    approved = await search.look("approved_run", lambda row: row["run_id"] not in named and names(row, "approved_by"))
    versions = await search.look_by(
        "run_id", "version", named, lambda row: row["run_id"] in named or _is_about(inquiry, row, "patch", digests)
    )
    # What a run answered stands in the ledger, too.
    answers = await search.look_by(
        "run_id", "answer", named, lambda row: row["run_id"] in named or names(row, "question", "value")
    )
    gone = {row["id"] for row in answers}
    let_through = await search.look("approved_answer", lambda row: row["id"] not in gone and names(row, "approved_by"))
    slim = {"approved_run": approved, "approved_answer": let_through}
    return {"run": runs, "version": versions, "answer": answers, **{kind: _slim(kind, slim[kind]) for kind in slim}}


def _slim(kind: str, rows: Iterable[Row]) -> list[Row]:
    return [{name: row[name] for name in (*_APPROVAL, *PLACES[kind][1])} for row in rows]


async def _find_own_blobs(search: Search, found: Rows) -> list[Row]:
    """Find long values that name nobody, but were sent in by the person alone."""
    own = _list_own_blobs(found) - {row["digest"] for row in found["blob"]}
    if search.seen is not None:
        # Of the rest, others had it before.
        own &= {row["digest"] for row in search.seen.rows.get("own_blob", ())}
    # Before others are asked for: whoever sends one in from here on waits, and keeps it anew.
    rows = await search.read("own_blob", ((digest,) for digest in own))
    others = await _list_others_blobs(search, found) if rows else set()
    return [row for row in rows if row["digest"] not in others]


async def _list_others_blobs(search: Search, found: Rows) -> set[str]:
    """Name the long values that other runs lead to. Each that came since the first look has a version of its own."""
    named = {row["run_id"] for row in found["run"]}
    gone = {row["id"] for row in found["version"]}
    if search.seen is not None:
        came = await search.list_since(search.seen.at - _LONGEST_WRITE)
        return _list_blobs((row for row in came if row["id"] not in gone), "patch")
    # Most have none, and need not be kept until all are read.
    runs = await search.look("run", lambda row: BLOB in row["artifacts"] and row["run_id"] not in named)
    versions = await search.look("version", lambda row: BLOB in row["patch"] and row["id"] not in gone)
    return _list_blobs(runs, "artifacts") | _list_blobs(versions, "patch")


def has_grown(seen: Rows, found: Rows) -> bool:
    """Tell whether the person's runs came to long values since the first look: who else has these is not known."""
    return not _list_own_blobs(found) <= _list_own_blobs(seen)


def _list_own_blobs(found: Rows) -> set[str]:
    return _list_blobs(found.get("run", ()), "artifacts") | _list_blobs(found.get("version", ()), "patch")


def _list_blobs(rows: Iterable[Row], field: str) -> set[str]:
    return {digest for row in rows for digest in find_blobs(decode_json(row[field]))}


async def count_lasting(transaction: Transaction, inquiry: Inquiry) -> tuple[int, int]:
    """Count what is called after the person and has to stay: runs by their ids, caps by their names."""
    search = Search(transaction)
    runs = await search.look("run", lambda row: _names(inquiry, row, "run_id"))
    caps = await search.look("cap", lambda row: _names(inquiry, row, "name"))
    return len(runs), len(caps)


def list_others(inquiry: Inquiry, found: Rows) -> list[str]:
    """Name the profiles that name the person in answers alone: nobody can tell whether they are theirs."""
    named = (row for row in found.get("profile", ()) if _names(inquiry, row, "answers"))
    return [row["name"] for row in named if not _names(inquiry, row, *_OWN)]


async def find_contacts(transaction: Transaction, inquiry: Inquiry) -> tuple[list[str], list[str]]:
    """Give where employers reach the person, by which other parts know them, and where they reach others, too."""
    rows = await Search(transaction).look("profile", lambda _: True)
    own = [row["contact"] for row in rows if _names(inquiry, row, *_OWN)]
    others = [row["contact"] for row in rows if not _names(inquiry, row, *_OWN)]
    # Whoever wrote "none" there means nobody, and not all who are told so elsewhere.
    contacts = set(filter(is_address, own))
    shared = {one for one in contacts if Inquiry(inquiry.tenant, [one]).names(others)}
    return sorted(contacts - shared), sorted(shared)


async def erase_rows(transaction: Transaction, inquiry: Inquiry, found: Rows) -> None:
    """Forget what was sent in, and profiles; take the references out of what has to stay."""
    for kind in ("variant", "blob", "own_blob", "version", "answer"):
        for row in found.get(kind, ()):
            await transaction.change(delete(_table(kind)).where(_is_it(kind, row)))
    for row in found.get("profile", ()):
        await _erase_profile(transaction, inquiry, row)
    for kind in ("run", "posting", "act", "approved_run", "approved_answer"):
        for row in found.get(kind, ()):
            values = _redact_row(inquiry, kind, row)
            await transaction.change(update(_table(kind)).where(_is_it(kind, row)).values(**values))


async def _erase_profile(transaction: Transaction, inquiry: Inquiry, row: Row) -> None:
    profiles, is_it = _table("profile"), _is_it("profile", row)
    if _names(inquiry, row, *_OWN):
        await transaction.change(delete(profiles).where(is_it))
        return
    # Somebody else's, whom the person wrote down, or who names them in an answer.
    said = {inquiry.redact(key): inquiry.redact(value) for key, value in decode_json(row["answers"]).items()}
    values = {"answers": write_answers(said), "given_by": inquiry.redact(row["given_by"])}
    await transaction.change(update(profiles).where(is_it).values(**values))


def _redact_row(inquiry: Inquiry, kind: str, row: Row) -> dict[str, Any]:
    """Give what a row says without the person."""
    if kind == "run":
        fields = ("error", "approved_by", "variant_id")
        return {"artifacts": NOTHING, **{name: _redact(inquiry, row[name]) for name in fields}}
    if kind == "posting":
        # Its digest stays: else the next crawl would take the board's own words for news.
        content = content_row(row["board"], redact_posting(inquiry, read_content(row["content"])))
        return {**content, "reason": inquiry.redact(row["reason"])}
    return {name: inquiry.redact(row[name]) for name in (_OF_ACTS if kind == "act" else ("approved_by",))}


def _table(kind: str) -> Table:
    return PLACES[kind][0]


def _is_it(kind: str, row: Row) -> ColumnElement[bool]:
    table, keys = PLACES[kind]
    return and_(*(table.c[name] == row[name] for name in keys))


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


def _names(inquiry: Inquiry, row: Row, *fields: str) -> bool:
    return any(inquiry.names(decode_json(row[name]) if name in _AS_JSON else row[name]) for name in fields)


def _is_posting_about(inquiry: Inquiry, row: Row) -> bool:
    posting = read_content(row["content"])
    return redact_posting(inquiry, posting) != posting or _names(inquiry, row, "reason")


def _is_run_about(inquiry: Inquiry, row: Row, own: set[str], digests: set[str]) -> bool:
    """Tell whether a run is the person's. What was sent with their resume is, whether it names them or not."""
    is_sent_with = row["variant_id"] in own and row["artifacts"] != NOTHING
    return is_sent_with or _names(inquiry, row, "variant_id") or _is_about(inquiry, row, "artifacts", digests)


def _is_about(inquiry: Inquiry, row: Row, field: str, digests: set[str]) -> bool:
    return _names(inquiry, row, field, "error") or not digests.isdisjoint(find_blobs(decode_json(row[field])))
