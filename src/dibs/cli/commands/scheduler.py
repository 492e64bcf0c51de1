"""`dibs scheduler`: fire schedules and keep the house, without running jobs."""

import asyncio
from typing import Annotated

import typer

from dibs.cli.commands.worker import Level, SchedulePoll, Sweep, WorkerId, read_spans
from dibs.cli.exits import Exit
from dibs.cli.loading import load_app, open_installed
from dibs.cli.logs import LogLevel, set_up_logs
from dibs.cli.options import AppPath, Url
from dibs.cli.printing import output
from dibs.cli.stores import show_url
from dibs.engine.telemetry.logs import bind_logs

HealthPort = Annotated[
    int | None,
    typer.Option("--health-port", metavar="PORT", min=1, max=65_535, help="Answer with its health on 127.0.0.1:PORT."),
]


def run_scheduler(
    url: Url = None,
    *,
    app_path: AppPath = None,
    worker_id: WorkerId = None,
    schedule_poll: SchedulePoll = None,
    sweep: Sweep = None,
    health_port: HealthPort = None,
    log_level: Level = LogLevel.INFO,
) -> int:
    """Fire schedules, take lapsed jobs back, seal the audit log. Runs no job.

    Workers do the same beside their jobs; this is for installations where none runs all the time.
    """
    set_up_logs(log_level)
    app = load_app(app_path, url=url) if app_path else open_installed(url)
    bind_logs(app.events)
    output.hint(f"Firing the schedules of {show_url(getattr(app, 'url', None))}. Ctrl-C stops.")
    spans = read_spans(schedule_poll=schedule_poll, sweep=sweep)
    asyncio.run(app.run_worker(claims=False, worker_id=worker_id, health_port=health_port, **spans))
    return Exit.DONE
