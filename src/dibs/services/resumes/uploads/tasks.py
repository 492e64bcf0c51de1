"""The job that brings a resume to its end: pictures are read, a language model is asked, what was left is done."""

from typing import Any

from dibs.engine.app import App
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.errors import BadInput
from dibs.kit.log import get_logger
from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.parser import File, ResumeParser, refused
from dibs.services.resumes.tasks import LONGEST_SCAN_SECONDS, find_parser
from dibs.services.resumes.uploads import store
from dibs.services.resumes.uploads.desk import open_documents
from dibs.services.resumes.uploads.model import FINISH, Reading, Upload, UploadState
from dibs.services.resumes.uploads.sheets import pack_sheet
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

log = get_logger("dibs.resumes")


def make_blueprint(*, app: App, tables: Tables) -> Blueprint:
    """Give the task to an installation."""
    return declare_finish(find_parser(app), tables)


def declare_finish(parser: ResumeParser, tables: Tables) -> Blueprint:
    """Give the task, for an app to include. Its output tells nothing of the person."""
    tasks = Blueprint()
    finisher = Finisher(parser, tables)

    @tasks.task(FINISH, timeout=LONGEST_SCAN_SECONDS)
    async def finish(ctx: Context, resume: str, round: int) -> dict[str, Any]:  # noqa: A002 - the word of the record
        is_last = ctx.job.errors >= ctx.job.max_retries
        return await finisher.finish(ctx.job.tenant, resume, round, is_last=is_last)

    return tasks


class Finisher:
    """Reads what is left of a resume."""

    def __init__(self, parser: ResumeParser, tables: Tables) -> None:
        self._parser = parser
        self._tables = tables

    async def finish(self, tenant: str, resume_id: str, number: int, *, is_last: bool) -> dict[str, Any]:
        """Read a resume whole, unless that was done, or it is gone, or it is being read anew."""
        async with self._tables.reading(sight_of(tenant)) as transaction:
            upload = await store.find_upload(transaction, resume_id)
        if upload is None or upload.round != number or upload.state == UploadState.DONE:
            return {"resume": resume_id, "done": False}
        reading = await self._read(upload, is_last=is_last)
        async with self._tables.writing(sight_of(tenant)) as transaction:
            is_noted = await store.note_reading(transaction, resume_id, number, reading)
        return {"resume": resume_id, "done": is_noted, "status": reading.status}

    async def _read(self, upload: Upload, *, is_last: bool) -> Reading:
        try:
            folder, cipher = self._parser.settings.folder, self._tables.cipher
            data = await open_documents(folder, upload.tenant, cipher).get(upload.document)
            file = File(data=data, name=upload.name, declared=upload.declared or None)
            whole = await self._parser.parse_whole(file)
        except BadInput:
            return Reading(resume=refused(refuse(Refusal.CORRUPTED, what="its file is not there any more")))
        except Exception as fault:
            if not is_last:
                raise
            # Somebody waits for it: an answer that says so is better than none.
            log.exception("resumes.reading.failed", resume=upload.id)
            return Reading(resume=refused(refuse(Refusal.CRASHED, what=type(fault).__name__)))
        return Reading(resume=whole.resume, sheet=pack_sheet(whole.document))
