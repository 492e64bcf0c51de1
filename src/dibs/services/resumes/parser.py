"""From the bytes of a file to a profile as JSON Resume, each document in a child of its own."""

import asyncio
import os
from datetime import UTC, date, datetime
from typing import Any, Self

import msgspec
from msgspec import Struct

from dibs.errors import UnreadableDocument
from dibs.outside.models import Ask
from dibs.services.resumes.document import Document, Page
from dibs.services.resumes.flags import REVIEWED, Warned, flag
from dibs.services.resumes.helping import help_resume
from dibs.services.resumes.helping.questions import find_unsure
from dibs.services.resumes.reading.reader import finish
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.reading.scan.engines import name_engine
from dibs.services.resumes.reading.scan.gathering import pending_pages, put_in
from dibs.services.resumes.sandbox import Parse, Sandbox, Scan, Understand
from dibs.services.resumes.settings import ResumeSettings

Resume = dict[str, Any]


class File(Struct, frozen=True, kw_only=True):
    """A document as somebody gave it."""

    data: bytes
    name: str = ""
    declared: str | None = None


class FirstResult(Struct, frozen=True):
    """What is known at once. `pending`: the document whose pictures are still to be read."""

    resume: Resume
    pending: Document | None = None
    document: Document | None = None
    """As far as it was read, if it was to be kept."""


class Whole(Struct, frozen=True):
    """A profile, and the document that it came from; None for one that could not be read."""

    resume: Resume
    document: Document | None = None


class ResumeParser:
    """Reads resumes in a sandbox that it keeps warm; close it in the end."""

    def __init__(self, settings: ResumeSettings | None = None, *, ask: Ask | None = None) -> None:
        """`ask` puts questions to a language model about sections the rules are unsure of; None: nobody is asked."""
        self.settings = settings or ResumeSettings.from_env()
        self.ask = ask
        self.sandbox = Sandbox(self.settings.allowance)
        self._cores = os.cpu_count() or 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()

    async def aclose(self) -> None:
        """Do the same from async code."""
        await asyncio.to_thread(self.close)

    async def parse(self, file: File, *, today: date | None = None) -> Resume:
        """Read a resume, pictures and all. One that cannot be read gives a record with the status `error`."""
        first = await self.parse_text(file, today=today)
        resume = first.resume if first.pending is None else await self.parse_scans(file, first.pending, today=today)
        return await self.help(resume)

    async def parse_whole(self, file: File, *, today: date | None = None) -> Whole:
        """Do the same, and give the document as well, to show where each field came from."""
        first = await self.parse_text(file, today=today, keeps=True)
        whole = Whole(first.resume, first.document)
        if first.pending is not None:
            whole = await self._finish_scans(file, first.pending, today or _this_day())
        return Whole(await self.help(whole.resume), whole.document)

    async def parse_text(self, file: File, *, today: date | None = None, keeps: bool = False) -> FirstResult:
        """Read what is text: contact and sections, at once. Pictures are left for `parse_scans`."""
        request = Parse(
            today=today or _this_day(),
            name=_clean(file.name),
            declared=None if file.declared is None else _clean(file.declared),
            limits=self.settings.limits,
            keeps=keeps,
        )
        try:
            answer = await self.sandbox.call(request, file.data)
        except UnreadableDocument as refusal:
            return FirstResult(refused(refusal))
        document = answer.document
        pending = document if document is not None and pending_pages(document) else None
        return FirstResult(_as_resume(answer.profile), pending, document)

    async def parse_scans(self, file: File, document: Document, *, today: date | None = None) -> Resume:
        """Read the pages that are pictures, side by side, and understand the whole."""
        return (await self._finish_scans(file, document, today or _this_day())).resume

    def can_help(self, resume: Resume) -> bool:
        """Tell whether a language model would be asked about a profile."""
        return self.ask is not None and bool(find_unsure(resume))

    async def help(self, resume: Resume) -> Resume:
        """Let a language model read what the rules are unsure of, if there is one."""
        return await help_resume(resume, self.ask) if self.ask is not None and self.can_help(resume) else resume

    async def _finish_scans(self, file: File, document: Document, today: date) -> Whole:
        try:
            whole = await self._read_scans(file, document)
            answer = await self.sandbox.call(Understand(document=whole, today=today))
        except UnreadableDocument as refusal:
            return Whole(refused(refusal))
        return Whole(_as_resume(answer.profile), whole)

    async def _read_scans(self, file: File, document: Document) -> Document:
        kept = tuple(one for one in document.flags if one.code not in {Warned.OCR_PENDING, Warned.NO_TEXT})
        document = msgspec.structs.replace(document, flags=kept)
        if name_engine(self.settings.ocr) is Engine.OFF:
            flags = (*kept, flag(Warned.OCR_UNAVAILABLE))
            return finish(msgspec.structs.replace(document, flags=flags), self.settings.limits)
        turns = asyncio.Semaphore(self._cores)
        pages = [self._read_scan(file, document, number, turns) for number in pending_pages(document)]
        read = [page for page in await asyncio.gather(*pages) if page is not None]
        return finish(put_in(document, read), self.settings.limits)

    async def _read_scan(self, file: File, document: Document, number: int, turns: asyncio.Semaphore) -> Page | None:
        settings = self.settings
        request = Scan(kind=document.kind, number=number, ocr=settings.ocr, limits=settings.limits)
        async with turns:
            return (await self.sandbox.call(request, file.data, allowance=settings.scan_allowance)).page


def parse_resume(
    data: bytes, *, name: str = "", declared: str | None = None, settings: ResumeSettings | None = None
) -> Resume:
    """Read one resume: `parse_resume(path.read_bytes(), name=path.name)`. For many, keep a `ResumeParser`."""
    with ResumeParser(settings) as parser:
        return asyncio.run(parser.parse(File(data=data, name=name, declared=declared)))


def refused(refusal: UnreadableDocument) -> Resume:
    """Make the record of a document that could not be read."""
    flags = [{"code": refusal.code, "message": str(refusal)}]
    return {"basics": {}, "meta": {"status": "error", "flags": flags, "fields": {}}}


def _as_resume(profile: bytes | None) -> Resume:
    resume: Resume = msgspec.json.decode(profile or b"{}")
    meta = resume.setdefault("meta", {})
    if any(one["code"] in REVIEWED for one in meta.get("flags", ())):
        meta["status"] = "needs_review"
    return resume


def _clean(text: str) -> str:
    """Make text of a name that is none in any encoding: names of files may be any bytes."""
    return text.encode(errors="replace").decode()


def _this_day() -> date:
    return datetime.now(UTC).date()
