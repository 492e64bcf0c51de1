"""Resumes of a person: profiles, corrections, files."""

import asyncio
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


class ResumesHolding:
    """Resumes of the person: those whose id, file name, first lines or corrections name them.

    Others, who name the person elsewhere, are somebody else's, or were misread: they are told, and left to people.
    """

    name = "resumes"

    def __init__(self, tables: Tables, folder: str) -> None:
        self._tables = tables
        self._folder = folder

    async def trace(self, inquiry: Inquiry) -> list[str]:
        """Give the ids of resumes: jobs and the audit log name only those."""
        return [found.upload.id for found in (await self._find(inquiry))[0]]

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the profiles, and the files as they were handed in."""
        documents, held = self._open(inquiry.tenant), []
        for found in (await self._find(inquiry))[0]:
            held.append(Held(kind="resume", id=found.upload.id, data=msgspec.to_builtins(found)))
            if documents.has(found.upload.document):
                content = await documents.get(found.upload.document)
                held.append(Held(kind="document", id=found.upload.document, content=content))
        return held

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget them, files and all. What is not read yet may be about anybody, and is told."""
        found, others = await self._find(inquiry)
        uploads = [one.upload for one in found]
        documents = self._open(inquiry.tenant)
        for upload in uploads:
            await documents.forget(upload.document)
        async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
            for upload in uploads:
                await store.remove_upload(transaction, upload.id)
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
        kept += [f"the resume {one}, {said}" for one in others]
        return Erased(count=len(uploads), kept=tuple(kept))

    async def renew(self, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Encrypt plain files of those who have a key by now. Encrypted ones are renewed with all other documents."""
        tally = Tally()
        for name in [tenant] if tenant is not None else await name_tenants(self._tables):
            await asyncio.to_thread(_close_all, self._open(name), tally, is_dry=is_dry)
        return tally

    def _open(self, tenant: str) -> FolderDocuments:
        return open_documents(self._folder, tenant, self._tables.cipher)

    async def _find(self, inquiry: Inquiry) -> tuple[list[Found], list[str]]:
        """Give the person's resumes, and the ids of others that name them."""
        found, others, after = [], [], ""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            while page := await store.walk_uploads(transaction, after):
                for upload, profile, sheet in page:
                    kept = await store.list_corrections(transaction, upload.id)
                    one = Found(upload, None if profile is None else msgspec.json.decode(profile), kept)
                    if _is_theirs(inquiry, one):
                        found.append(one)
                    elif inquiry.names(one.profile) or inquiry.names(list_texts(unpack_sheet(sheet))):
                        others.append(upload.id)
                after = page[-1][0].id
        return found, others


def _is_theirs(inquiry: Inquiry, found: Found) -> bool:
    basics = found.profile.get("basics") if found.profile else None
    return inquiry.names(msgspec.to_builtins([found.upload, basics, found.corrections]))


def _close_all(documents: FolderDocuments, tally: Tally, *, is_dry: bool) -> None:
    is_closed = documents.has_cipher()
    for key in documents.list_plain():
        tally.renewed += is_closed
        tally.current += not is_closed
        if is_closed and not is_dry:
            documents.close_plain(key)
            documents.drop_plain(key)
