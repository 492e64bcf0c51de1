"""Every statement on the tables of resumes. Whose rows are meant, the transaction says."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import delete, func, select, update

from dibs.services.resumes.uploads.model import Correction, Reading, Upload, UploadState, UploadStatus
from dibs.services.resumes.uploads.tables import CORRECTIONS, UPLOADS
from dibs.storage.transaction import Transaction

WALKED_AT_ONCE = 100
_ENCODED = ("value", "anchor")


async def add_upload(transaction: Transaction, upload: Upload) -> bool:
    """Keep a resume; False when the tenant has one of the same file."""
    facts = {name: getattr(upload, name) for name in Upload.__struct_fields__ if name != "tenant"}
    return await transaction.add_if_new(UPLOADS, **facts)


async def find_upload(transaction: Transaction, resume_id: str) -> Upload | None:
    """Read one resume."""
    row = await transaction.find(_uploads().where(UPLOADS.c.id == resume_id))
    return None if row is None else Upload(**row)


async def find_by_document(transaction: Transaction, document: str) -> Upload | None:
    """Read the resume of a file."""
    row = await transaction.find(_uploads().where(UPLOADS.c.document == document))
    return None if row is None else Upload(**row)


async def find_profile(transaction: Transaction, resume_id: str) -> dict[str, Any] | None:
    """Read a profile as the document gave it."""
    row = await transaction.find(select(UPLOADS.c.profile).where(UPLOADS.c.id == resume_id))
    return None if row is None or row["profile"] is None else msgspec.json.decode(row["profile"])


async def find_sheet(transaction: Transaction, resume_id: str) -> str | None:
    """Read where the words of a resume stand."""
    row = await transaction.find(select(UPLOADS.c.sheet).where(UPLOADS.c.id == resume_id))
    return None if row is None else row["sheet"]


async def list_uploads(
    transaction: Transaction, filters: Mapping[str, str | None], *, before: str | None, limit: int
) -> list[Upload]:
    """Read resumes, the newest first."""
    question = _uploads().order_by(UPLOADS.c.id.desc()).limit(limit)
    for name, wanted in filters.items():
        if wanted is not None:
            question = question.where(UPLOADS.c[name] == wanted)
    if before is not None:
        question = question.where(UPLOADS.c.id < before)
    return [Upload(**row) for row in await transaction.fetch(question)]


async def walk_uploads(transaction: Transaction, after: str) -> list[tuple[Upload, str | None, str | None]]:
    """Read the next resumes with their profiles and where their words stand, the oldest first."""
    wanted = _uploads(UPLOADS.c.profile, UPLOADS.c.sheet).where(UPLOADS.c.id > after)
    rows = [dict(row) for row in await transaction.fetch(wanted.order_by(UPLOADS.c.id).limit(WALKED_AT_ONCE))]
    return [(Upload(**row), *read) for row in rows for read in ((row.pop("profile"), row.pop("sheet")),)]


async def count_unread(transaction: Transaction) -> int:
    """Count the resumes that were not read to the end."""
    return await _count(transaction, UPLOADS.c.state != UploadState.DONE.value)


async def count_refused(transaction: Transaction) -> int:
    """Count the resumes that could not be read."""
    is_done = UPLOADS.c.state == UploadState.DONE.value
    return await _count(transaction, is_done & (UPLOADS.c.status == UploadStatus.ERROR.value))


async def note_reading(transaction: Transaction, resume_id: str, number: int, reading: Reading) -> bool:
    """Write what reading gave; False when the resume is gone, read whole already, or read anew by somebody else."""
    is_meant = (UPLOADS.c.id == resume_id) & (UPLOADS.c.round == number)
    is_open = UPLOADS.c.state != UploadState.DONE.value
    if not reading.is_whole:
        is_open = UPLOADS.c.state == UploadState.READING.value
    change = update(UPLOADS).where(is_meant & is_open)
    values = {
        "state": (UploadState.DONE if reading.is_whole else UploadState.PARTIAL).value,
        "status": reading.status,
        "person": reading.person,
        "profile": msgspec.json.encode(reading.resume).decode(),
        "sheet": reading.sheet,
        "read_at": transaction.now,
        "version": UPLOADS.c.version + 1,
        # Whoever looked at it looked at something else.
        "reviewed_at": None,
        "reviewed_by": None,
    }
    return await transaction.change(change.values(**values)) == 1


async def begin_round(transaction: Transaction, upload: Upload) -> bool:
    """Have a resume read anew; what was read before stays until then."""
    is_meant = (UPLOADS.c.id == upload.id) & (UPLOADS.c.round == upload.round)
    values = {"round": upload.round + 1, "state": UploadState.READING.value, "version": UPLOADS.c.version + 1}
    return await transaction.change(update(UPLOADS).where(is_meant).values(**values)) == 1


async def touch(transaction: Transaction, upload: Upload, **values: Any) -> bool:
    """Note a person's change; False when the resume has another version by now."""
    is_meant = (UPLOADS.c.id == upload.id) & (UPLOADS.c.version == upload.version)
    change = update(UPLOADS).where(is_meant).values(version=UPLOADS.c.version + 1, **values)
    return await transaction.change(change) == 1


async def add_correction(transaction: Transaction, correction: Correction) -> None:
    """Keep a correction, instead of earlier ones of the same field of the same entry."""
    facts = {name: getattr(correction, name) for name in Correction.__struct_fields__}
    row = facts | {name: _encode(facts[name]) for name in _ENCODED}
    same = (CORRECTIONS.c.resume_id == correction.resume_id) & (CORRECTIONS.c.section == correction.section)
    same &= (CORRECTIONS.c.field == correction.field) & (CORRECTIONS.c.anchor == row["anchor"])
    if correction.section == "basics" or correction.anchor is not None:
        await transaction.change(delete(CORRECTIONS).where(same))
    await transaction.add(CORRECTIONS, **row)


async def list_corrections(transaction: Transaction, resume_id: str) -> list[Correction]:
    """Read the corrections of a resume in the order they were made."""
    question = select(*(CORRECTIONS.c[name] for name in Correction.__struct_fields__))
    ordered = question.where(CORRECTIONS.c.resume_id == resume_id).order_by(CORRECTIONS.c.id)
    return [_as_correction(dict(row)) for row in await transaction.fetch(ordered)]


async def find_given_names(transaction: Transaction, resume_ids: Sequence[str]) -> dict[str, Any]:
    """Read which names people have corrected, by resume; None for one that was taken out."""
    question = select(CORRECTIONS.c.resume_id, CORRECTIONS.c.value).where(CORRECTIONS.c.resume_id.in_(resume_ids))
    named = question.where((CORRECTIONS.c.section == "basics") & (CORRECTIONS.c.field == "name"))
    return {row["resume_id"]: msgspec.json.decode(row["value"]) for row in await transaction.fetch(named)}


async def remove_upload(transaction: Transaction, resume_id: str) -> None:
    """Forget a resume and its corrections."""
    await transaction.change(delete(CORRECTIONS).where(CORRECTIONS.c.resume_id == resume_id))
    await transaction.change(delete(UPLOADS).where(UPLOADS.c.id == resume_id))


async def rename_handler(transaction: Transaction, resume_id: str, old: str, new: str) -> None:
    """Call whoever handed in, reviewed or corrected a resume by another name."""
    for column in (UPLOADS.c.uploaded_by, UPLOADS.c.reviewed_by):
        is_meant = (UPLOADS.c.id == resume_id) & (column == old)
        await transaction.change(update(UPLOADS).where(is_meant).values({column.name: new}))
    is_meant = (CORRECTIONS.c.resume_id == resume_id) & (CORRECTIONS.c.actor == old)
    await transaction.change(update(CORRECTIONS).where(is_meant).values(actor=new))


async def _count(transaction: Transaction, is_meant: Any) -> int:
    row = await transaction.find(select(func.count().label("rows")).select_from(UPLOADS).where(is_meant))
    return 0 if row is None else int(row["rows"])


def _uploads(*more: Any) -> Any:
    return select(*(UPLOADS.c[name] for name in Upload.__struct_fields__), *more)


def _encode(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _as_correction(row: dict[str, Any]) -> Correction:
    return Correction(**row | {name: msgspec.json.decode(row[name]) for name in _ENCODED})
