"""Resumes as jobs.

`RESUME_PARSE` answers with what is text, within seconds; where pages are pictures, a job `RESUME_SCAN` goes on, and
its output is the whole profile. A document that cannot be read is an answer too, with the status `error`.
"""

from pathlib import Path

from dibs.engine.app import App
from dibs.engine.store.moves import OnConflict, UniqueRule
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.kit.encrypted import make_cipher
from dibs.services.resumes.documents import Documents, FolderDocuments
from dibs.services.resumes.parser import File, Resume, ResumeParser
from dibs.services.resumes.settings import ResumeSettings
from dibs.settings import ENCRYPTION_KEYS

PARSE, SCAN = "RESUME_PARSE", "RESUME_SCAN"
LONGEST_SCAN_SECONDS = 900.0
ONE_A_PARSE = UniqueRule(on_conflict=OnConflict.RETURN)


def make_blueprint(app: App) -> Blueprint:
    """Give the tasks to an installation, as its environment says; the sandbox starts at the first document."""
    settings = ResumeSettings.from_env()
    parser = ResumeParser(settings)
    app.closers.append(parser.aclose)
    cipher = make_cipher(app.settings.encryption_keys, ENCRYPTION_KEYS)
    return declare_tasks(parser, FolderDocuments(Path(settings.folder), cipher=cipher))


def declare_tasks(parser: ResumeParser, documents: Documents) -> Blueprint:
    """Give the tasks, for an app to include: `app.include(declare_tasks(parser, FolderDocuments(folder)))`."""
    tasks = Blueprint()

    @tasks.task(PARSE, timeout=LONGEST_SCAN_SECONDS)
    async def parse(ctx: Context, document: str, name: str = "", declared: str | None = None) -> Resume:
        data = await documents.of(ctx.job.tenant).get(document)
        file = File(data=data, name=name, declared=declared)
        first = await parser.parse_text(file)
        if first.pending is None:
            return first.resume
        given = {"document": document, "name": name, "declared": declared}
        # An attempt that is repeated finds the job that the first one stored.
        scan = await ctx.enqueue(SCAN, given, unique_key=ctx.job.id, unique=ONE_A_PARSE)
        return _point_to(first.resume, scan.id if scan is not None else None)

    @tasks.task(SCAN, timeout=LONGEST_SCAN_SECONDS)
    async def scan(ctx: Context, document: str, name: str = "", declared: str | None = None) -> Resume:
        data = await documents.of(ctx.job.tenant).get(document)
        file = File(data=data, name=name, declared=declared)
        return await parser.parse(file)

    return tasks


def _point_to(resume: Resume, job_id: str | None) -> Resume:
    """Say in the first result which job brings the whole."""
    return resume | {"meta": resume["meta"] | {"scan_job": job_id}}
