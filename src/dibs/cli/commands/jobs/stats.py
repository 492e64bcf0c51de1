"""`dibs stats`: how many jobs wait, run and are done, live."""

import asyncio
import errno
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Annotated, Any

import typer

from dibs.cli.exits import Exit
from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.spans import read_span
from dibs.cli.stores import on_store, show_url
from dibs.cli.tally import Tally, take_tally
from dibs.engine.states import FINAL, State
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput, StoreError
from dibs.kit.figures import show_span

DEFAULT_INTERVAL = "2s"
SHORTEST_INTERVAL = timedelta(milliseconds=100)
# Counting may take long on a large store: it gets at most a tenth of the time.
SHARE = 10
FINISHED = tuple(state for state in State if state in FINAL)


def show_stats(
    is_once: Annotated[bool, typer.Option("--once", help="Print the table once and leave.")] = False,
    interval: Annotated[
        str | None,
        typer.Option("--interval", metavar="TIME", help="How often to count.", show_default=DEFAULT_INTERVAL),
    ] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Show jobs by state and queue.

    Live on a terminal; once elsewhere, unless --interval is given.
    """
    pause = read_span(interval or DEFAULT_INTERVAL, "--interval")
    if pause < SHORTEST_INTERVAL:
        message = f"--interval {interval!r} is too short. Use 100ms or more."
        raise BadInput(message)
    is_live = not is_once and (interval is not None or (sys.stdout.isatty() and not as_json))
    if not is_live:
        _print(on_store(url, take_tally), url, as_json=as_json)
        return Exit.DONE
    try:
        on_store(url, lambda backend: _follow(backend, url, pause, as_json=as_json))
    except KeyboardInterrupt:
        # The usual way out of a live view.
        return Exit.DONE
    return Exit.DONE


def _print(tally: Tally, url: str | None, *, as_json: bool, is_line: bool = False) -> None:
    if as_json:
        output.show_json(tally, is_line=is_line)
    else:
        output.show(render(tally, f"{show_url(url)}"))


async def _follow(backend: Backend, url: str | None, pause: timedelta, *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        async for tally, _ in _look(backend, pause):
            if tally is not None:
                _print(tally, url, as_json=as_json, is_line=True)
        return
    from rich.live import Live

    with Live(console=output.make_console(), auto_refresh=False) as live:
        last: Tally | None = None
        async for tally, said in _look(backend, pause):
            if not sys.stdout.isatty():
                raise BrokenPipeError(errno.EPIPE, "the terminal is gone, and nobody looks any more")
            shown = tally or last
            if shown is not None:
                live.update(render(shown, f"{show_url(url)} · {said}{_speed(last, tally)}"), refresh=True)
            last = shown


async def _look(backend: Backend, pause: timedelta) -> AsyncIterator[tuple[Tally | None, str]]:
    """Count again and again; a store that is away is waited for."""
    while True:
        began = time.monotonic()
        try:
            yield await take_tally(backend), f"every {show_span(pause)}, Ctrl-C to leave"
        except StoreError as error:
            yield None, f"the store is away: {type(error).__name__}"
        await asyncio.sleep(max(pause.total_seconds(), SHARE * (time.monotonic() - began)))


def _speed(last: Tally | None, tally: Tally | None) -> str:
    if last is None or tally is None or tally.at <= last.at:
        return ""
    done = sum(tally.states[state] - last.states[state] for state in FINISHED)
    return f" · {max(0, done) / (tally.at - last.at).total_seconds():,.1f} finished/s"


def render(tally: Tally, caption: str) -> Any:
    """Make the table: a line a queue, and the totals."""
    from rich.console import Group

    from dibs.cli.printing.tables import make_table

    table = make_table("queue", *State, right=list(State))
    for queue, counts in tally.queues.items():
        table.add_row(output.styled(queue), *(_number(state, count) for state, count in counts.items()))
    table.add_section()
    table.add_row("all", *(_number(state, tally.states[state]) for state in State), style="bold")
    crew = f"{output.plural(tally.workers, 'worker')}, {output.plural(tally.slots, 'slot')}"
    return Group(table, output.styled(f"{crew} · {caption}", "dim"))


def _number(state: State, count: int) -> Any:
    return output.styled(f"{count:,}", output.STATE_STYLES[state] if count else "dim")
