"""`dibs worker`: run an app's tasks, in this process or in several under a supervisor."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dibs.assembly import Dibs
from dibs.cli.exits import Exit
from dibs.cli.loading import load_app, open_installed
from dibs.cli.logs import LogLevel, set_up_logs
from dibs.cli.options import AppPath
from dibs.cli.printing import output
from dibs.cli.spans import read_span
from dibs.cli.stores import show_url
from dibs.cli.supervisor import Supervisor, make_child_command, obey_supervisor
from dibs.engine.app import App
from dibs.engine.telemetry.logs import bind_logs
from dibs.engine.worker.options import WorkerOptions
from dibs.errors import BadInput
from dibs.settings import Settings

DEFAULTS = WorkerOptions()
# More than any machine runs at once: a digit too many is told, not tried.
MOST_PROCESSES = 1_000


def _number(name: str, text: str, **more: Any) -> Any:
    return typer.Option(name, metavar="N", min=1, help=text, **more)


def _name(name: str, text: str, **more: Any) -> Any:
    return typer.Option(name, metavar="NAME", help=text, **more)


def _time(name: str, text: str, default: str) -> Any:
    return typer.Option(name, metavar="TIME", help=text, show_default=default)


Processes = Annotated[int, _number("--processes", "How many worker processes, under a supervisor.", max=MOST_PROCESSES)]
Concurrency = Annotated[int, _number("--concurrency", "How many async handlers run at once.")]
Threads = Annotated[int, _number("--threads", "How many plain handlers run at once.")]
Pool = Annotated[
    int, _number("--pool", "How many CPU-bound handlers run at once, each in a process.", show_default="one a core")
]
Queues = Annotated[list[str] | None, _name("--queue", "Only jobs of this queue; may be repeated.", show_default="all")]
Types = Annotated[list[str] | None, _name("--type", "Only jobs of this type; may be repeated.", show_default="all")]
OneTenant = Annotated[str | None, _name("--tenant", "Only jobs of this tenant.", show_default="all")]
WorkerId = Annotated[
    str | None,
    _name("--worker-id", "The name under which jobs are held.", envvar="WORKER_ID", show_default="host:pid"),
]
Poll = Annotated[str | None, _time("--poll", "How often to ask when no notice comes.", "1s")]
Beat = Annotated[str | None, _time("--beat", "How often leases are renewed.", "20s")]
Sweep = Annotated[str | None, _time("--sweep", "How often lapsed jobs are taken back.", "60s")]
SchedulePoll = Annotated[str | None, _time("--schedule-poll", "How often to look for due schedules.", "1s")]
Grace = Annotated[str | None, _time("--grace", "How long handlers may go on after the first signal.", "30s")]
HealthFile = Annotated[
    Path | None, typer.Option("--health-file", metavar="FILE", help="Keep the worker's health in this file.")
]
HealthPort = Annotated[
    int | None,
    typer.Option(
        "--health-port", metavar="PORT", min=1, max=65_535, help="Answer with the worker's health on 127.0.0.1:PORT."
    ),
]
UntilDrained = Annotated[bool, typer.Option("--until-drained", help="Leave when no job is left to claim.")]
OtherUrl = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="Work on this store.", show_default="the one that the app names"),
]
Level = Annotated[LogLevel, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")]


def run_worker(
    app_path: AppPath = None,
    *,
    processes: Processes = 1,
    concurrency: Concurrency = DEFAULTS.concurrency,
    threads: Threads = DEFAULTS.threads,
    pool: Pool = DEFAULTS.processes,
    queues: Queues = None,
    job_types: Types = None,
    tenant: OneTenant = None,
    worker_id: WorkerId = None,
    poll: Poll = None,
    beat: Beat = None,
    sweep: Sweep = None,
    schedule_poll: SchedulePoll = None,
    grace: Grace = None,
    health_file: HealthFile = None,
    health_port: HealthPort = None,
    until_drained: UntilDrained = False,
    url: OtherUrl = None,
    log_level: Level = LogLevel.INFO,
    is_supervised: Annotated[bool, typer.Option("--supervised", hidden=True)] = False,
) -> int:
    """Run a worker, for the tasks of --app or, without it, of all that is installed.

    The first SIGTERM or Ctrl-C stops it gently, the second one at once.
    """
    options = WorkerOptions(
        concurrency=concurrency,
        threads=threads,
        processes=pool,
        queues=tuple(queues) if queues else None,
        job_types=tuple(job_types) if job_types else None,
        tenant=tenant,
        worker_id=worker_id,
        health_file=health_file,
        health_port=health_port,
        until_drained=until_drained,
        **read_spans(poll=poll, beat=beat, sweep=sweep, schedule_poll=schedule_poll, grace=grace),
    )
    set_up_logs(log_level)
    if processes > 1:
        return _supervise(options, processes)
    return _work(app_path, url, options, is_supervised=is_supervised)


def read_spans(**given: str | None) -> dict[str, Any]:
    """Read the options that say how long or how often."""
    return {name: read_span(text, f"--{name.replace('_', '-')}") for name, text in given.items() if text is not None}


def _supervise(options: WorkerOptions, processes: int) -> int:
    name = options.worker_id or Settings.from_env().worker_id

    def command(number: int, life: int) -> list[str]:
        return make_child_command(number, life, name, options)

    return asyncio.run(Supervisor(command, processes).run())


def _work(app_path: str | None, url: str | None, options: WorkerOptions, *, is_supervised: bool) -> int:
    app = load_app(app_path, url=url) if app_path else open_installed(url)
    _check_types(app, options)
    bind_logs(app.events)
    _greet(app, options)
    asyncio.run(_run(app, options, is_supervised=is_supervised))
    return Exit.DONE


async def _run(app: App, options: WorkerOptions, *, is_supervised: bool) -> None:
    given = msgspec.structs.asdict(options)
    if not is_supervised:
        await app.run_worker(**given)
    else:
        await app.see_off(app.make_worker(**given), heed_signals=lambda worker: obey_supervisor(worker.stop))


def _check_types(app: App, options: WorkerOptions) -> None:
    for name in options.job_types or ():
        if name not in app.tasks:
            message = f"--type {name!r}: this app has no such task. It has: {', '.join(app.tasks) or 'none'}."
            raise BadInput(message)


def _greet(app: App, options: WorkerOptions) -> None:
    takes = ", ".join(options.job_types or app.tasks)
    queues = f"queues {', '.join(options.queues)}" if options.queues else "all queues"
    where = show_url(app.url) if isinstance(app, Dibs) else "its own store"
    output.hint(f"Taking {takes} from {queues} of {where}. Ctrl-C stops.")
