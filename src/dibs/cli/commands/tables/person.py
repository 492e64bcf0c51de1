"""`dibs person`: what is held about somebody, in all that is installed."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dibs.assembly import Dibs, find_tables_schema, has_tables, load_holdings, make_directory
from dibs.cli.exits import Exit
from dibs.cli.extras import describe_left_out
from dibs.cli.logs import LogLevel, set_up_logs
from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.engine.personal import acting
from dibs.engine.personal.acting import Erasure, count_held, erase_person, find_person
from dibs.engine.personal.archive import write_archive
from dibs.engine.personal.holding import Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.errors import BadInput
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.engine.personal.holding import Holding
    from dibs.storage.tables import Tables

app = typer.Typer(help="Personal data: give out or erase what is held about somebody.", no_args_is_help=False)
Answer = TypeVar("Answer")
References = Annotated[
    list[str], typer.Argument(metavar="REFERENCE...", help="What names the person and nobody else: mail, phone, id.")
]
Whose = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose data.")]
Out = Annotated[Path, typer.Option("--out", metavar="FILE.zip", help="Where the archive is written.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def on_holdings(
    url: str | None,
    work: "Callable[[list[Holding], Backend], Awaitable[Answer]]",
    load: "Callable[[Dibs, Tables | None], Awaitable[list[Any]]]" = load_holdings,
) -> Answer:
    """Do something with all that holds data. Nothing is ever installed on the way."""

    async def do() -> Answer:
        settings = Settings.from_env()
        async with Dibs(url, settings=settings, migrate=False) as opened:
            backend = await opened.backend()
            if not has_tables(url, settings=settings):
                return await work(await load(opened, None), backend)
            await find_tables_schema(url).check()
            async with make_directory(None, url).tables as tables:
                return await work(await load(opened, tables), backend)

    return asyncio.run(do())


def tell_left_out() -> Exit:
    """Say in a sentence what nobody looks at here, instead of as lines of a log between what is printed.

    Gives the exit code of who does all the rest: a script must not take that for everything.
    """
    set_up_logs(LogLevel.ERROR)
    lacking = describe_left_out("holdings")
    if lacking:
        output.tell(f"dibs: not looked at for want of a package: {lacking}. Run: pip install 'dibs[all]'")
    return Exit.NOT_DONE if lacking else Exit.DONE


@app.command("export")
def export_person(
    references: References,
    out: Out,
    tenant: Whose = "default",
    reason: Reason = "asked by the person",
    actor: Actor = None,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Write all that is held about a person into an archive.

    What the archive holds may name other people, too: look at it before it is handed over. Leaves with 1 when something
    could not be looked at.
    """
    inquiry = Inquiry(tenant, references)
    act = OperatorAct(actor=name_actor(actor), reason=reason)
    code = tell_left_out()

    async def work(holdings: "list[Holding]", backend: Backend) -> dict[str, list[Held]]:
        return await acting.export_person(holdings, inquiry, act, backend)

    with _making_file(out):
        found = on_holdings(url, work)
        write_archive(out, found)
    _tell(count_held(found), f"written to {out}", as_json=as_json)
    return code


@contextmanager
def _making_file(out: Path) -> Iterator[None]:
    """Make the file, which nobody else may read, before the log says that data was given out; undo it if none was."""
    try:
        is_new = not out.exists()
        os.close(os.open(out, os.O_WRONLY | os.O_CREAT, 0o600))
        # One of that name may have been there before. What is no file, such as /dev/null, is everybody's.
        if out.is_file():
            out.chmod(0o600)
    except OSError as cause:
        message = f"the archive cannot be written to {out}: {cause.strerror}. Name another file with --out."
        raise BadInput(message) from cause
    try:
        yield
    except BaseException:
        if is_new:
            out.unlink()
        raise


@app.command("erase")
def erase(
    references: References,
    reason: Reason,
    tenant: Whose = "default",
    is_dry_run: DryRun = False,
    is_agreed: Yes = False,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Erase all that is held about a person.

    Jobs that wait or run are cancelled first. Leaves with 1 when something is left that could not be erased, or could
    not be looked at.
    """
    inquiry = Inquiry(tenant, references)
    act = OperatorAct(actor=name_actor(actor), reason=reason)
    code = tell_left_out()
    if is_dry_run or not is_agreed:
        counts = count_held(on_holdings(url, lambda holdings, _: find_person(holdings, inquiry)))
        if is_dry_run:
            _tell(counts, "would be erased", as_json=as_json)
            return code
        if not _ask(counts):
            output.tell("dibs: nothing was erased.")
            return Exit.NOT_DONE

    async def work(holdings: "list[Holding]", backend: Backend) -> Erasure:
        return await erase_person(holdings, inquiry, act, backend)

    erasure = on_holdings(url, work)
    if as_json:
        output.show_json(erasure)
    else:
        _tell(erasure.counts, f"erased · {erasure.id}", as_json=False)
    for said in erasure.kept:
        output.tell(f"dibs: this stays: {said}")
    return Exit.NOT_DONE if erasure.left or erasure.kept else Exit.DONE


def _ask(counts: dict[str, int]) -> bool:
    if not sys.stdin.isatty():
        message = f"{_show(counts)} would be erased, and there is nobody to ask. Add --yes."
        raise BadInput(message)
    return typer.confirm(f"Erase {_show(counts)}?", err=True)


def _show(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "nothing"


def _tell(counts: dict[str, int], said: str, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"counts": counts})
    else:
        output.show_line(f"{_show(counts)} · {said}")
