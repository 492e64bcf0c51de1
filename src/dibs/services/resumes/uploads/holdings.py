"""Resumes of a person: profiles, corrections, files."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from dibs.access.store import name_tenants
from dibs.engine.personal.holding import Erased, Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.kit.encryption.renewed import Tally
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.uploads import store
from dibs.services.resumes.uploads.desk import open_documents
from dibs.services.resumes.uploads.model import Correction, Upload
from dibs.services.resumes.uploads.sheets import list_texts, unpack_sheet
from dibs.settings import Settings
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables


def make_holding(*, tables: Tables, settings: Settings) -> "ResumesHolding":
    """Give the resumes of an installation."""
    return ResumesHolding(tables, ResumeSettings.from_env(data=settings.data).folder)


class Found(msgspec.Struct, frozen=True):
    """A resume that is about the person."""

    upload: Upload
    profile: Any
    corrections: list[Correction]


class Looked(msgspec.Struct, frozen=True):
    """What was found: resumes of the person, those of others that they dealt with, and ids of others that name them."""

    theirs: list[Found]
    handled: list[Found]
    others: list[str]


class ResumesHolding:
    """Resumes of the person: those whose id, file name, first lines or corrections name them.

    Others, who name the person elsewhere, are somebody else's, or were misread: they are told, and left to people. Of
    those that the person handed in, reviewed or corrected for others, only who did it is taken out.
    """

    name = "resumes"

    def __init__(self, tables: Tables, folder: str) -> None:
        self._tables = tables
        self._folder = folder

    async def trace(self, inquiry: Inquiry) -> list[str]:
        """Give the ids of resumes: jobs and the audit log name only those."""
        theirs = (await self._find(inquiry)).theirs
        FolderDocuments(Path(self._folder)).check_folder(wanted=len(theirs))
        return [found.upload.id for found in theirs]

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the profiles, and the files as they were handed in."""
        documents, looked = self._open(inquiry.tenant), await self._find(inquiry)
        held = [Held(kind="handling", id=one.upload.id, data=_list_handlers(one)) for one in looked.handled]
        for found in looked.theirs:
            held.append(Held(kind="resume", id=found.upload.id, data=msgspec.to_builtins(found)))
            if documents.has(found.upload.document):
                content = await documents.get(found.upload.document)
                held.append(Held(kind="document", id=found.upload.document, content=content))
        return held

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget them, files and all. What is not read yet may be about anybody, and is told."""
        looked = await self._find(inquiry)
        uploads = [one.upload for one in looked.theirs]
        documents = self._open(inquiry.tenant)
        for upload in uploads:
            await documents.forget(upload.document)
        async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
            for upload in uploads:
                await store.remove_upload(transaction, upload.id)
            for one in looked.handled:
                for name in set(filter(inquiry.names, _list_handlers(one))):
                    await store.rename_handler(transaction, one.upload.id, name, inquiry.redact(name))
            unread, refused = await store.count_unread(transaction), await store.count_refused(transaction)
        told = (
            (unread, "resumes that are still being read: whose they are is not known yet. Erase again then."),
            (
                refused,
                "resumes that could not be read: nobody knows whose they are. Look at them, and remove what is theirs.",
            ),
        )
        kept = [f"{many} {what}" for many, what in told if many]
        said = "which names them where others are named. If it is theirs, erase it by this id."
        kept += [f"the resume {one}, {said}" for one in looked.others]
        return Erased(count=len(uploads) + len(looked.handled), kept=tuple(kept))

    async def renew(self, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Encrypt plain files of those who have a key by now. Encrypted ones are renewed with all other documents."""
        tally = Tally()
        for name in [tenant] if tenant is not None else await name_tenants(self._tables):
            await asyncio.to_thread(_close_all, self._open(name), tally, is_dry=is_dry)
        return tally

    def _open(self, tenant: str) -> FolderDocuments:
        return open_documents(self._folder, tenant, self._tables.cipher)

    async def _find(self, inquiry: Inquiry) -> Looked:
        looked, after = Looked([], [], []), ""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            while page := await store.walk_uploads(transaction, after):
                for upload, profile, sheet in page:
                    kept = await store.list_corrections(transaction, upload.id)
                    one = Found(upload, None if profile is None else msgspec.json.decode(profile), kept)
                    await asyncio.to_thread(_sort, looked, inquiry, one, sheet)
                after = page[-1][0].id
        return looked


def _sort(looked: Looked, inquiry: Inquiry, one: Found, sheet: str | None) -> None:
    """Put a resume where it belongs, if it belongs anywhere."""
    if _is_theirs(inquiry, one):
        looked.theirs.append(one)
        return
    if inquiry.names(_list_handlers(one)):
        looked.handled.append(one)
    if inquiry.names(one.profile) or inquiry.names(list_texts(unpack_sheet(sheet))):
        looked.others.append(one.upload.id)


def _is_theirs(inquiry: Inquiry, found: Found) -> bool:
    upload, basics = found.upload, found.profile.get("basics") if found.profile else None
    said = [[one.value, one.anchor] for one in found.corrections]
    # Not by its tenant, nor by who dealt with it: these are others.
    return inquiry.names(msgspec.to_builtins([upload.id, upload.document, upload.name, upload.person, basics, said]))


def _list_handlers(found: Found) -> list[str]:
    """Name who handed it in, reviewed and corrected it."""
    upload = found.upload
    reviewed = [] if upload.reviewed_by is None else [upload.reviewed_by]
    return [upload.uploaded_by, *reviewed, *(one.actor for one in found.corrections)]


def _close_all(documents: FolderDocuments, tally: Tally, *, is_dry: bool) -> None:
    is_closed = documents.has_cipher()
    for key in documents.list_plain():
        tally.renewed += is_closed
        tally.current += not is_closed
        if is_closed and not is_dry:
            documents.close_plain(key)
            documents.drop_plain(key)
