"""The verbs for resumes: one transaction each."""

import asyncio
from collections.abc import Mapping
from typing import IO, Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.directory import note
from dibs.access.model import By
from dibs.errors import BadInput, ResumeMoved, ResumeNotFound
from dibs.kit.ids import new_id
from dibs.services.resumes.document import Document, Kind
from dibs.services.resumes.parser import File
from dibs.services.resumes.uploads import store
from dibs.services.resumes.uploads.correcting.applying import Corrected, apply_corrections
from dibs.services.resumes.uploads.correcting.places import BASICS, check_value, read_place
from dibs.services.resumes.uploads.desk import FIRST_SECONDS, GRACE, Desk
from dibs.services.resumes.uploads.model import (
    Correction,
    Reading,
    ResumeAction,
    Upload,
    UploadState,
    UploadStatus,
    fit_file_name,
    fit_person,
    fit_type,
)
from dibs.services.resumes.uploads.sheets import pack_sheet, unpack_sheet
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction

MOST_CORRECTIONS = 500
BLANK = Document(kind=Kind.TEXT)


class GivenFile(Struct, frozen=True, kw_only=True):
    """A file that somebody hands in, and what they say of it."""

    content: IO[bytes]
    size: int
    name: str = ""
    declared: str | None = None


class Shown(Struct, frozen=True, kw_only=True):
    """A resume as everybody sees it: what was read, with what people corrected. `resume` is None before the first."""

    upload: Upload
    resume: dict[str, Any] | None


async def hand_in(desk: Desk, tenant: str, given: GivenFile, by: By) -> tuple[Shown, bool]:
    """Keep a resume and read what is text in it. False: the tenant has this very file already, and it is given."""
    upload, is_new = await keep_file(desk, tenant, given, by)
    if is_new:
        await _read_first(desk, upload)
    return await get_resume(desk, tenant, upload.id), is_new


async def keep_file(desk: Desk, tenant: str, given: GivenFile, by: By) -> tuple[Upload, bool]:
    """Keep a resume, and leave reading it to a job. False: the tenant has this very file already."""
    document = await desk.documents(tenant).put_file(given.content)
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        found = await store.find_by_document(transaction, document)
        upload = _make_upload(tenant, document, given, by, transaction)
    if found is not None:
        return found, False
    # The job first: without its resume it does nothing, while a resume without a job would wait for ever.
    await desk.see_to_it(upload, delay=GRACE)
    async with desk.tables.writing(sight_of(tenant)) as transaction:
        is_new = await store.add_upload(transaction, upload)
        if is_new:
            await note(transaction, ResumeAction.ADDED, f"resume:{upload.id}", by)
        else:
            upload = await store.find_by_document(transaction, document) or upload
    await desk.directory.forward_acts([tenant])
    return upload, is_new


def _make_upload(tenant: str, document: str, given: GivenFile, by: By, transaction: Transaction) -> Upload:
    return Upload(
        id=new_id(),
        tenant=tenant,
        document=document,
        name=fit_file_name(given.name),
        declared=fit_type(given.declared),
        size=given.size,
        state=UploadState.READING.value,
        status=UploadStatus.PENDING.value,
        person="",
        round=1,
        version=1,
        uploaded_by=by.principal.actor,
        created_at=transaction.now,
    )


async def _read_first(desk: Desk, upload: Upload) -> None:
    """Read what is text, if that is done in time; the job does the rest."""
    try:
        async with asyncio.timeout(FIRST_SECONDS), desk.turns:
            data = await desk.documents(upload.tenant).get(upload.document)
            file = File(data=data, name=upload.name, declared=upload.declared or None)
            first = await desk.parser.parse_text(file, keeps=True)
    except TimeoutError:
        await desk.see_to_it(upload)
        return
    is_whole = first.pending is None and not desk.parser.can_help(first.resume)
    reading = Reading(resume=first.resume, sheet=pack_sheet(first.document), is_whole=is_whole)
    async with desk.tables.writing(sight_of(upload.tenant)) as transaction:
        await store.note_reading(transaction, upload.id, upload.round, reading)
    if not is_whole:
        await desk.see_to_it(upload)


async def list_resumes(
    desk: Desk, tenant: str, filters: Mapping[str, str | None], *, before: str | None = None, limit: int = 50
) -> list[Upload]:
    """Read the resumes of a tenant, the newest first."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        found = await store.list_uploads(transaction, filters, before=before, limit=limit)
        return await _name_people(transaction, found)


async def get_resume(desk: Desk, tenant: str, resume_id: str) -> Shown:
    """Read one resume as it is now."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        upload = await _need(transaction, resume_id)
        corrected = await _correct(transaction, resume_id)
    return Shown(upload=upload, resume=None if corrected is None else _finish(corrected.resume, upload))


async def get_sheet(desk: Desk, tenant: str, resume_id: str) -> Document | None:
    """Give where the words of a resume stand; None before it was read, or where it cannot be."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        await _need(transaction, resume_id)
        return unpack_sheet(await store.find_sheet(transaction, resume_id))


async def get_document(desk: Desk, tenant: str, resume_id: str) -> tuple[Upload, bytes]:
    """Give the file as it was handed in."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        upload = await _need(transaction, resume_id)
    return upload, await desk.documents(tenant).get(upload.document)


class Changes(Struct, frozen=True, kw_only=True):
    """What a person changes: fields by their paths. `version`: the one they saw; `is_reviewed`: they looked at all."""

    fields: dict[str, Any]
    version: int | None = None
    is_reviewed: bool | None = None


async def correct_resume(desk: Desk, tenant: str, resume_id: str, changes: Changes, by: By) -> Shown:
    """Write down what a person says, all of it or nothing. Reading the document again leaves it as it is."""
    async with desk.tables.writing(sight_of(tenant)) as transaction:
        upload = await _need(transaction, resume_id)
        _check_version(upload, changes.version)
        await _add_corrections(transaction, upload, changes.fields, by)
        review = await _review(transaction, upload, changes.is_reviewed, by)
        if not await store.touch(transaction, upload, **review):
            raise _moved(upload)
    await desk.directory.forward_acts([tenant])
    return await get_resume(desk, tenant, resume_id)


async def read_again(desk: Desk, tenant: str, resume_id: str, by: By) -> Upload:
    """Have the document read anew, by a job. What was read before is shown until then."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        upload = await _need(transaction, resume_id)
    await desk.see_to_it(replace(upload, round=upload.round + 1), delay=GRACE)
    async with desk.tables.writing(sight_of(tenant)) as transaction:
        if not await store.begin_round(transaction, upload):
            raise _moved(upload)
        await note(transaction, ResumeAction.READ_AGAIN, f"resume:{resume_id}", by)
        begun = await _need(transaction, resume_id)
    await desk.see_to_it(begun)
    await desk.directory.forward_acts([tenant])
    return begun


async def remove_resume(desk: Desk, tenant: str, resume_id: str, by: By) -> None:
    """Forget a resume: its profile, its corrections, its file."""
    async with desk.tables.reading(sight_of(tenant)) as transaction:
        upload = await _need(transaction, resume_id)
    # The file first: a row without its file can be removed again, a file without its row is found by nobody.
    await desk.documents(tenant).forget(upload.document)
    async with desk.tables.writing(sight_of(tenant)) as transaction:
        await store.remove_upload(transaction, resume_id)
        await note(transaction, ResumeAction.REMOVED, f"resume:{resume_id}", by)
    await desk.directory.forward_acts([tenant])


async def _add_corrections(transaction: Transaction, upload: Upload, fields: dict[str, Any], by: By) -> None:
    if not fields:
        return
    kept = await store.list_corrections(transaction, upload.id)
    if len(kept) + len(fields) > MOST_CORRECTIONS:
        message = f"more than {MOST_CORRECTIONS} corrections in one resume. Upload a better document."
        raise BadInput(message)
    profile = await store.find_profile(transaction, upload.id)
    if profile is None:
        raise _unread()
    seen = apply_corrections(profile, kept)
    for number, (path, value) in enumerate(fields.items()):
        facts = {"id": f"{upload.id}:{upload.version:08}:{number:03}", "actor": by.principal.actor}
        correction = _make_correction(seen, upload.id, path, value)
        await store.add_correction(transaction, Correction(**correction, **facts, at=transaction.now))
    await note(transaction, ResumeAction.CORRECTED, f"resume:{upload.id}", by)


def _make_correction(seen: Corrected, resume_id: str, path: str, value: Any) -> dict[str, Any]:
    place = read_place(path)
    value = check_value(place, path, value)
    entry = seen.find(place)
    if entry is None and place.section != BASICS and not place.is_new:
        message = f"the profile has no {path!r} now: {place.section} is shorter. Read the resume, and name what it has."
        raise BadInput(message)
    anchor = None if entry is None else entry.make_anchor()
    return {"resume_id": resume_id, "section": place.section, "field": place.field, "value": value, "anchor": anchor}


async def _correct(transaction: Transaction, resume_id: str) -> Corrected | None:
    profile = await store.find_profile(transaction, resume_id)
    if profile is None:
        return None
    return apply_corrections(profile, await store.list_corrections(transaction, resume_id))


def _finish(resume: dict[str, Any], upload: Upload) -> dict[str, Any]:
    """Let the profile say what its row does: a person who has looked at it decides."""
    return resume | {"meta": resume["meta"] | {"status": upload.status}}


async def _review(transaction: Transaction, upload: Upload, is_reviewed: bool | None, by: By) -> dict[str, Any]:
    """Say what a person's look changes in the row."""
    if is_reviewed is None:
        return {}
    profile = await store.find_profile(transaction, upload.id)
    if profile is None:
        raise _unread()
    await note(transaction, ResumeAction.REVIEWED, f"resume:{upload.id}", by)
    if is_reviewed:
        who = by.principal.actor
        return {"status": UploadStatus.OK.value, "reviewed_at": transaction.now, "reviewed_by": who}
    return {"status": profile["meta"]["status"], "reviewed_at": None, "reviewed_by": None}


def _unread() -> BadInput:
    return BadInput("the resume was not read yet, so that there is nothing to look at. Ask again in a second.")


def _check_version(upload: Upload, version: int | None) -> None:
    if version is not None and version != upload.version:
        raise _moved(upload)


def _moved(upload: Upload) -> ResumeMoved:
    message = f"resume {upload.id} has been changed since you read it. Read it again, and send what is still right."
    return ResumeMoved(message)


async def _need(transaction: Transaction, resume_id: str) -> Upload:
    found = await store.find_upload(transaction, resume_id)
    if found is None:
        message = f"there is no resume {resume_id[:80]!a} here. List them with: GET /api/v1/resumes"
        raise ResumeNotFound(message)
    return (await _name_people(transaction, [found]))[0]


async def _name_people(transaction: Transaction, uploads: list[Upload]) -> list[Upload]:
    """Call people by what a person has corrected, whatever the last reading said."""
    given = await store.find_given_names(transaction, [one.id for one in uploads])
    return [replace(one, person=fit_person(given[one.id])) if one.id in given else one for one in uploads]
