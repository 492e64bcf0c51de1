"""The entrance: which commands there are, and how what goes wrong is told."""

import errno
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, NoReturn

import typer

from dibs.assembly import load_parts
from dibs.cli.commands import (
    audit,
    db,
    doctor,
    resumes,
    scheduler,
    schedules,
    server,
    torture,
    worker,
    workers,
)
from dibs.cli.commands.access import keys, tenants, users
from dibs.cli.commands.admission import gate, limits, sources, why
from dibs.cli.commands.jobs import app as jobs
from dibs.cli.commands.jobs import enqueue, purge, stats
from dibs.cli.commands.postings import app as postings
from dibs.cli.commands.tables import encryption, person, webhooks
from dibs.cli.exits import Exit, find_exit
from dibs.cli.extras import name_missing
from dibs.cli.printing import output

# The first character keeps click from joining the lines.
NEXT_STEPS = """\b
What next:
  dibs up                        everything in one process, with a dashboard; --demo fills it
  dibs worker --app module:app   run an app's tasks
  dibs enqueue TYPE JSON         store a job for one of them
  dibs stats                     see what waits, runs and is done
  dibs doctor                    find out what is wrong
"""
DEBUG = "--debug"

app = typer.Typer(
    name="dibs",
    help="Call dibs on a job, and nobody else does it.",
    epilog=NEXT_STEPS,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
app.command("worker")(worker.run_worker)
app.command("scheduler")(scheduler.run_scheduler)
app.command("up")(server.run_all)
app.command("server")(server.run_server)
app.command("enqueue")(enqueue.enqueue)
app.add_typer(jobs.app, name="jobs")
jobs.app.command("why")(why.show_why)
jobs.app.command("purge")(purge.purge)
app.add_typer(gate.app, name="gate")
app.add_typer(sources.app, name="sources")
app.add_typer(limits.app, name="limits")
app.add_typer(audit.app, name="audit")
app.add_typer(tenants.app, name="tenants")
app.add_typer(keys.app, name="keys")
app.add_typer(users.app, name="users")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(person.app, name="person")
app.add_typer(encryption.app, name="encryption")
app.add_typer(schedules.app, name="schedules")
app.add_typer(postings.app, name="postings")
app.command("stats")(stats.show_stats)
app.command("workers")(workers.list_workers)
app.add_typer(resumes.app, name="resumes")
app.add_typer(db.app, name="db")
app.command("doctor")(doctor.examine)
app.command("torture")(torture.torture)
for module in load_parts("commands"):
    app.add_typer(module.app)


@app.callback(invoke_without_command=True)
def begin(
    context: typer.Context,
    *,
    is_version_wanted: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    _: Annotated[bool, typer.Option(DEBUG, help="Show tracebacks; may stand anywhere.")] = False,
) -> None:
    """Call dibs on a job, and nobody else does it."""
    if is_version_wanted:
        from importlib.metadata import version

        output.show_line(f"dibs {version('dibs')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        output.show_line(context.get_help())
        raise typer.Exit(Exit.WRONG_USAGE)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code."""
    given, is_debug = _take_debug(sys.argv[1:] if arguments is None else arguments)
    sys.exit(run(given, is_debug=is_debug))


def run(arguments: Sequence[str], *, is_debug: bool = False) -> int:
    """Run one command; what goes wrong is told in one line."""
    try:
        code = app(args=_read_help(arguments), prog_name="dibs", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as leaving:
        # Typer takes a closed pipe for an error of its own.
        return _leave_quietly() if _is_gone(leaving.__context__) else _as_code(leaving)
    except (KeyboardInterrupt, typer.Abort):
        return Exit.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last stop of every error
        if _is_gone(error):
            return _leave_quietly()
        if is_debug:
            traceback.print_exc()
        return _report(name_missing(_find_cause(error)), arguments)
    return int(code or Exit.DONE)


def _read_help(arguments: Sequence[str]) -> list[str]:
    """Take `help jobs list` for `jobs list --help`, as people know it from other programs."""
    first, *others = arguments or [""]
    return [*others, "--help"] if first == "help" else list(arguments)


def _find_cause(error: Exception) -> Exception:
    """Give the first error of a group: a group says nothing of what to do."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_gone(error: BaseException | None) -> bool:
    """Whether the pipe or the terminal that we print to is not there any more."""
    return isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.EIO)


def _leave_quietly() -> int:
    # Python would complain once more when it closes what it cannot write to.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    return Exit.PIPE_CLOSED


def _as_code(leaving: SystemExit) -> int:
    return leaving.code if isinstance(leaving.code, int) else Exit.DONE


def _take_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    upto = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [word for word in arguments[:upto] if word != DEBUG]
    return [*kept, *arguments[upto:]], len(kept) < upto


def _find_path(arguments: Sequence[str]) -> str:
    """Name the command that was meant, where the error itself does not know."""
    commands, path = getattr(typer.main.get_command(app), "commands", {}), ["dibs"]
    for word in arguments:
        if word not in commands:
            break
        path.append(word)
        commands = getattr(commands[word], "commands", {})
    return " ".join(path)


def _advise(error: Exception, arguments: Sequence[str]) -> str:
    context: typer.Context | None = getattr(error, "ctx", None)
    path = _find_path(arguments) if context is None else context.command_path
    # Whoever mistyped an option is not helped by the names of commands.
    has_option = getattr(error, "option_name", None) is not None
    names = [] if has_option else list(getattr(getattr(context, "command", None), "commands", {}))
    there_are = f"There are: {', '.join(names)}. " if names else ""
    return f"{there_are}See: {path} --help"


def _report(error: Exception, arguments: Sequence[str]) -> int:
    exit_code = find_exit(error)
    # Typer brings its own copy of click, or uses click itself: its errors are known by what they can do.
    explain: Callable[[], str] | None = getattr(error, "format_message", None)
    if explain is not None:
        said = explain().replace("Value error, ", "").strip().rstrip(".")
        stop = "" if said.endswith("?") else "."
        message, exit_code = f"{said}{stop} {_advise(error, arguments)}", Exit.WRONG_USAGE
    elif exit_code is Exit.FAULT:
        message = f"{type(error).__name__}: {error}. This is a fault of Dibs; run it again with {DEBUG} and report it."
    else:
        message = str(error) or type(error).__name__
    output.tell(f"dibs: {' '.join(message.split())}")
    return exit_code
