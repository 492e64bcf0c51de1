"""Bars for long work, on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dibs.cli.printing.output import make_console


@contextmanager
def progress_bar(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function to call with how many more are done; without a total, the bar only tells that something moves."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=make_console(is_error=True), transient=True) as progress:
        bar = progress.add_task(title, total=total)
        yield lambda count: progress.update(bar, advance=count)
