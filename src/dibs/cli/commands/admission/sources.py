"""`dibs sources`: where data comes from, how often it may be asked, and whether it is well."""

from datetime import datetime
from typing import Annotated

import typer
from msgspec.structs import replace

from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_span, read_optional_wait
from dibs.cli.stores import on_store
from dibs.engine.admission.source import Source, SourceRule
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import is_name
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import SourceNotFound

app = typer.Typer(help="Sources of data: their limits, and how they stand.", no_args_is_help=False)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the source.")]
Rate = Annotated[int | None, typer.Option("--rate", metavar="N", help="Requests a minute; 0: no limit.")]
Burst = Annotated[int | None, typer.Option("--burst", metavar="N", help="How many may go out at once.")]
Quota = Annotated[int | None, typer.Option("--daily-quota", metavar="N", help="Requests a UTC day; 0: no limit.")]
Failures = Annotated[int | None, typer.Option("--failures", metavar="N", help="Failures in a row that pause it.")]
PauseFor = Annotated[str | None, typer.Option("--pause", metavar="TIME", help="How long such a pause lasts.")]
Span = Annotated[
    str | None, typer.Option("--for", metavar="TIME", help="For how long.", show_default="until it is resumed")
]


@app.command("list")
def list_sources(url: Url = None, *, as_json: AsJson = False) -> None:
    """List all sources."""
    sources, now = on_store(url, _read_sources)
    if as_json:
        output.show_json({"sources": sources})
    elif not sources:
        output.tell("No source is known yet. Declare one: dibs sources declare NAME --rate 60 --reason …")
    else:
        from dibs.cli.printing.governed import sources_table

        output.show(sources_table(sources, now))


async def _read_sources(backend: Backend) -> tuple[list[Source], datetime]:
    return await backend.sources.list_sources(), await backend.reader.now()


@app.command("show")
def show_source(name: Name, url: Url = None, *, as_json: AsJson = False) -> None:
    """Show everything about one source."""

    async def read(backend: Backend) -> tuple[Source, datetime]:
        return await _get_source(backend, name), await backend.reader.now()

    source, now = on_store(url, read)
    _show(source, now, as_json=as_json)


@app.command("declare")
def declare_source(
    name: Name,
    reason: Reason,
    rate: Rate = None,
    burst: Burst = None,
    daily_quota: Quota = None,
    failures: Failures = None,
    pause: PauseFor = None,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Declare a source, or change what was declared.

    What is left out stays as it is.
    """
    pause_span = read_optional_span(pause, "--pause")
    facts = {"burst": burst, "failure_limit": failures, "pause": pause_span}
    changes: dict[str, object] = {field: value for field, value in facts.items() if value is not None}
    limits = {"rate_limit_per_minute": rate, "daily_quota": daily_quota}
    changes |= {field: value or None for field, value in limits.items() if value is not None}

    async def declare(backend: Backend) -> tuple[Source, datetime]:
        known = await backend.sources.find(name)
        # Whether it is enabled is left to pause and resume, which may come between this look and the write.
        rule = replace(known.rule if known else SourceRule(name=name), enabled=None, **changes)
        return await backend.sources.declare(rule, actor=name_actor(actor), reason=reason), await backend.reader.now()

    source, now = on_store(url, declare)
    _show(source, now, as_json=as_json)


@app.command("pause")
def pause_source(
    name: Name, reason: Reason, span: Span = None, actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Ask a source for nothing, for a while or until it is resumed."""
    lasts = read_optional_wait(span, "--for")

    async def pause(backend: Backend) -> tuple[Source, datetime]:
        await _find_user(backend, name)
        now = await backend.reader.now()
        until = None if lasts is None else now + lasts
        return await backend.sources.pause(name, until, actor=name_actor(actor), reason=reason), now

    source, now = on_store(url, pause)
    _show(source, now, as_json=as_json)


@app.command("resume")
def resume_source(name: Name, reason: Reason, actor: Actor = None, url: Url = None, *, as_json: AsJson = False) -> None:
    """Go on with a source: its pause and its wait end, its breaker is closed."""

    async def resume(backend: Backend) -> tuple[Source, datetime]:
        await _find_user(backend, name)
        source = await backend.sources.resume(name, actor=name_actor(actor), reason=reason)
        return source, await backend.reader.now()

    source, now = on_store(url, resume)
    _show(source, now, as_json=as_json)


async def _get_source(backend: Backend, name: str) -> Source:
    source = await backend.sources.find(name)
    if source is None:
        message = f"no source is called {name!r}. dibs sources list shows those that are known."
        raise SourceNotFound(message)
    return source


async def _find_user(backend: Backend, name: str) -> None:
    """Refuse a name that nobody knows: in an emergency a slip of the pen must not look like a pause."""
    page = await backend.reader.list_jobs(JobFilter(source=name), PageRequest(limit=1)) if is_name(name) else None
    if page is None or not page.items:
        await _get_source(backend, name)


def _show(source: Source, now: datetime, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"source": source})
        return
    from dibs.cli.printing.governed import source_view

    output.show(source_view(source, now))
