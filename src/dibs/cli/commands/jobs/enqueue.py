"""`dibs enqueue`: store one job."""

import asyncio
import shlex
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dibs.assembly import Dibs
from dibs.cli.exits import Exit
from dibs.cli.loading import load_app
from dibs.cli.options import AppPath, AsJson, Url
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_job
from dibs.cli.spans import read_optional_instant, read_optional_span
from dibs.cli.stores import naming_store
from dibs.engine.app import App
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.errors import BadInput, UniqueKeyTaken
from dibs.kit.codec import decode_json, too_deep
from dibs.kit.figures import show_span

JobTypeArgument = Annotated[str, typer.Argument(metavar="TYPE", help="The name of the task.")]
Input = Annotated[str, typer.Argument(metavar="JSON", help="The input: JSON, @file, or - for stdin.")]
ForTenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="For this tenant.", show_default="default")
]
InQueue = Annotated[
    str | None, typer.Option("--queue", metavar="NAME", help="Into this queue.", show_default="the task's, or default")
]
Priority = Annotated[
    int | None,
    typer.Option("--priority", metavar="N", help="Higher runs first, -1000 to 1000.", show_default="the task's, or 0"),
]
MaxRetries = Annotated[
    int | None,
    typer.Option("--max-retries", metavar="N", help="Tries after the first.", show_default="the task's, or 3"),
]
Delay = Annotated[str | None, typer.Option("--delay", metavar="TIME", help="Due after this time: 90s, 1h, 7d.")]
RunAt = Annotated[
    str | None, typer.Option("--run-at", metavar="INSTANT", help="Due at this instant: 2027-01-31T09:00:00Z.")
]
UniqueKey = Annotated[
    str | None,
    typer.Option("--unique-key", metavar="KEY", help="Store nothing while an unfinished job of this type has it."),
]
Source = Annotated[
    str | None, typer.Option("--source", metavar="NAME", help="What it asks.", show_default="the task's")
]
ConcurrencyKey = Annotated[
    str | None,
    typer.Option("--concurrency-key", metavar="KEY", help="Run one with it at a time.", show_default="the task's"),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="CENTS", help="Reserve this while it runs.", show_default="the task's, or 0"),
]
JobId = Annotated[str | None, typer.Option("--id", metavar="ID", help="Its id.", show_default="a new one")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it is finished, and print its output.")]
Timeout = Annotated[
    str | None, typer.Option("--timeout", metavar="TIME", help="How long to wait.", show_default="for ever")
]


def enqueue(
    job_type: JobTypeArgument,
    text: Input = "{}",
    *,
    tenant: ForTenant = None,
    queue: InQueue = None,
    priority: Priority = None,
    max_retries: MaxRetries = None,
    delay: Delay = None,
    run_at: RunAt = None,
    unique_key: UniqueKey = None,
    source: Source = None,
    concurrency_key: ConcurrencyKey = None,
    max_cost: MaxCost = None,
    job_id: JobId = None,
    is_waiting: Wait = False,
    timeout: Timeout = None,
    app_path: AppPath = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Store one job, and print its id.

    With --app, the task's own settings and checks hold; without it nobody checks the type.
    """
    options = {
        "tenant": tenant,
        "queue": queue,
        "priority": priority,
        "max_retries": max_retries,
        "delay": read_optional_span(delay, "--delay"),
        "run_at": read_optional_instant(run_at, "--run-at"),
        "unique_key": unique_key,
        "source": source,
        "concurrency_key": concurrency_key,
        "max_cost": max_cost,
        "id": job_id,
    }
    given = {name: value for name, value in options.items() if value is not None}
    _check_options(given, timeout, is_waiting=is_waiting)
    app = find_app(app_path, url, job_type)
    waiting = _Waiting(wanted=is_waiting, longest=read_optional_span(timeout, "--timeout"))
    with naming_store(app.url if isinstance(app, Dibs) else url):
        job = asyncio.run(_store(app, job_type, read_input(text), given, waiting))
    return _show(job, is_waiting=is_waiting, as_json=as_json)


def find_app(app_path: str | None, url: str | None, job_type: str) -> App:
    """Give the app that has the task, or, where none is named, one that knows no tasks."""
    if app_path is None:
        output.hint(
            f"Without --app nobody checks {job_type}, and its task's own settings (queue, retries, …) do not apply."
        )
        return Dibs(url, migrate=False)
    app = load_app(app_path, url=url)
    if job_type not in app.tasks:
        known = ", ".join(app.tasks) or "none"
        message = f"{app_path} has no task {job_type!r}; nothing was stored. It has: {known}."
        raise BadInput(message)
    return app


def _check_options(given: dict[str, Any], timeout: str | None, *, is_waiting: bool) -> None:
    if "delay" in given and "run_at" in given:
        message = "--delay and --run-at both say when the job is due. Give one of them."
        raise BadInput(message)
    if timeout is not None and not is_waiting:
        message = "--timeout says how long to wait, but nobody waits. Add --wait."
        raise BadInput(message)


class _Waiting(msgspec.Struct, frozen=True, kw_only=True):
    wanted: bool
    longest: timedelta | None


async def _store(app: App, job_type: str, given: Any, options: dict[str, Any], waiting: _Waiting) -> Job:
    try:
        job = await app.enqueue(job_type, given, **options)
        if job is None:
            key = options.get("unique_key", "")
            message = (
                f"an unfinished {job_type} job has the unique key {key!r}; nothing was stored."
                f" See: dibs jobs list --unique-key {shlex.quote(key)}"
            )
            raise UniqueKeyTaken(message)
        return await _wait(app, job, waiting.longest) if waiting.wanted else job
    finally:
        await app.close()


async def _wait(app: App, job: Job, longest: timedelta | None) -> Job:
    output.hint(f"Waiting for job {job.id} …")
    try:
        return await app.wait_for(job.id, timeout=longest)
    except TimeoutError as cause:
        span = "" if longest is None else f" after {show_span(longest)}"
        message = f"job {job.id} is stored, but not finished{span}. Look again: dibs jobs show {job.id}"
        raise TimeoutError(message) from cause


def read_input(text: str) -> Any:
    """Read JSON from the argument itself, from stdin, or from a file."""
    where = "stdin" if text == "-" else text[1:] if text.startswith("@") else "the argument"
    try:
        raw = sys.stdin.buffer.read() if text == "-" else _read_file(text) if text.startswith("@") else text.encode()
        return decode_json(raw)
    except OSError as cause:
        message = f"cannot read {where} ({cause.strerror}). Name a file after the @, or give the JSON itself."
        raise BadInput(message) from cause
    except RecursionError as cause:
        raise too_deep(where) from cause
    except (msgspec.DecodeError, UnicodeDecodeError, UnicodeEncodeError) as cause:
        message = f'{where} is not JSON ({cause}). Put JSON into single quotes, such as \'{{"to": "a@b.c"}}\'.'
        raise BadInput(message) from cause


def _read_file(text: str) -> bytes:
    return Path(text[1:]).read_bytes()


def _show(job: Job, *, is_waiting: bool, as_json: bool) -> int:
    has_succeeded = job.state is State.SUCCEEDED or not is_waiting
    if as_json:
        output.show_json(shape_job(job))
    elif is_waiting and has_succeeded:
        output.show_json(job.output)
    elif not is_waiting:
        output.show_line(job.id)
        output.hint(f"Stored. Follow it with: dibs jobs show {job.id}")
    if not has_succeeded:
        why = f" ({job.error.type}: {job.error.message})" if job.error is not None else ""
        output.tell(f"dibs: job {job.id} ended as {job.state}{why}. See: dibs jobs show {job.id}")
    return Exit.DONE if has_succeeded else Exit.NOT_DONE
