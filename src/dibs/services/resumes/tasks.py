"""Resumes as jobs.

`RESUME_PARSE` answers with what is text, within seconds; where pages are pictures, a job `RESUME_SCAN` goes on, and
its output is the whole profile. A document that cannot be read is an answer too, with the status `error`.
"""

from typing import Any

import msgspec

from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.services.resumes.document import Document
from dibs.services.resumes.documents import Documents
from dibs.services.resumes.parser import File, Resume, ResumeParser

PARSE, SCAN = "RESUME_PARSE", "RESUME_SCAN"
LONGEST_SCAN_SECONDS = 900.0


def declare_tasks(parser: ResumeParser, documents: Documents) -> Blueprint:
    """Give the tasks, for an app to include: `app.include(declare_tasks(parser, FolderDocuments(folder)))`."""
    tasks = Blueprint()

    @tasks.task(PARSE, timeout=LONGEST_SCAN_SECONDS)
    async def parse(ctx: Context, document: str, name: str = "", declared: str | None = None) -> Resume:
        file = File(data=await documents.get(document), name=name, declared=declared)
        first = await parser.parse_text(file)
        if first.pending is None:
            return first.resume
        given = {"document": document, "name": name, "read": _pack(first.pending)}
        scan = await ctx.enqueue(SCAN, given, unique_key=f"{ctx.job.id}:scan")
        return _point_to(first.resume, scan.id if scan is not None else None)

    @tasks.task(SCAN, timeout=LONGEST_SCAN_SECONDS)
    async def scan(ctx: Context, document: str, read: Any, name: str = "") -> Resume:
        await ctx.report_progress({"pages": len(read["pages"])})
        file = File(data=await documents.get(document), name=name)
        return await parser.parse_scans(file, msgspec.convert(read, Document))

    return tasks


def _pack(document: Document) -> Any:
    return msgspec.to_builtins(document)


def _point_to(resume: Resume, job_id: str | None) -> Resume:
    """Say in the first result which job brings the whole."""
    return resume | {"meta": resume["meta"] | {"scan_job": job_id}}
