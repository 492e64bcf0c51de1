"""Resumes as jobs.

`RESUME_PARSE` answers with what is text, within seconds; where pages are pictures, a job `RESUME_SCAN` goes on, and
its output is the whole profile. A document that cannot be read is an answer too, with the status `error`.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from dibs.engine.app import App
from dibs.engine.store.moves import OnConflict, UniqueRule
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.context import Context
from dibs.kit.encryption.encrypted import make_cipher
from dibs.outside.models import Ask, ModelSettings, Question, open_ask
from dibs.services.resumes.documents import Documents, FolderDocuments
from dibs.services.resumes.parser import File, Resume, ResumeParser
from dibs.services.resumes.settings import ResumeSettings
from dibs.settings import ENCRYPTION_KEYS

PARSE, SCAN = "RESUME_PARSE", "RESUME_SCAN"
LONGEST_SCAN_SECONDS = 900.0
ONE_A_PARSE = UniqueRule(on_conflict=OnConflict.RETURN)


_PARSERS: WeakKeyDictionary[App, ResumeParser] = WeakKeyDictionary()


def make_blueprint(app: App) -> Blueprint:
    """Give the tasks to an installation, as its environment says; the sandbox starts at the first document."""
    parser = find_parser(app)
    cipher = make_cipher(app.settings.encryption_keys, ENCRYPTION_KEYS)
    return declare_tasks(parser, FolderDocuments(Path(parser.settings.folder), cipher=cipher))


def find_parser(app: App) -> ResumeParser:
    """Give the one parser of an app, for its tasks and its server alike: each keeps a sandbox warm. Closed with it."""
    parser = _PARSERS.get(app)
    if parser is None:
        parser = _PARSERS[app] = ResumeParser(
            ResumeSettings.from_env(data=app.settings.data), ask=_lend_ask(app, ModelSettings.from_env())
        )
        app.closers.append(parser.aclose)
    return parser


def _lend_ask(app: App, settings: ModelSettings) -> Ask | None:
    """Give what asks a language model, opened at the first question and closed with the app; None: there is none."""
    if not settings.is_on:
        return None
    stack, opening = AsyncExitStack(), asyncio.Lock()
    opened: list[Ask | None] = []
    app.closers.append(stack.aclose)

    async def ask(question: Question) -> Any:
        async with opening:
            if not opened:
                opened.append(await stack.enter_async_context(open_ask(settings)))
        assert opened[0] is not None  # noqa: S101 - there is one: the settings say so
        return await opened[0](question)

    return ask


def declare_tasks(parser: ResumeParser, documents: Documents) -> Blueprint:
    """Give the tasks, for an app to include: `app.include(declare_tasks(parser, FolderDocuments(folder)))`."""
    tasks = Blueprint()

    @tasks.task(PARSE, timeout=LONGEST_SCAN_SECONDS)
    async def parse(ctx: Context, document: str, name: str = "", declared: str | None = None) -> Resume:
        data = await documents.of(ctx.job.tenant).get(document)
        file = File(data=data, name=name, declared=declared)
        first = await parser.parse_text(file)
        if first.pending is None:
            return await parser.help(first.resume)
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
