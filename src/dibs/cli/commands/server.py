"""`dibs server` and `dibs up`: the HTTP API, alone or with a worker in one process."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dibs.assembly import Dibs
from dibs.cli.exits import Exit
from dibs.cli.loading import load_app
from dibs.cli.logs import LogLevel, set_up_logs
from dibs.cli.options import AppPath, Url
from dibs.cli.printing import output
from dibs.cli.stores import show_url
from dibs.engine.app import App
from dibs.engine.telemetry.logs import bind_logs
from dibs.errors import MissingExtra

Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")]
Port = Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65_535, help="0: any that is free.")]
Data = Annotated[
    Path, typer.Option("--data", envvar="DIBS_DATA", metavar="DIR", help="The folder of the file and the first key.")
]
CallRate = Annotated[int, typer.Option("--rate-limit", metavar="N", min=1, help="Requests a second of one key.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Open no browser; there is no page to open yet.")]
Level = Annotated[LogLevel, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")]

DEFAULT_HOST, DEFAULT_PORT, DEFAULT_RATE = "127.0.0.1", 8470, 200
DATABASE = "dibs.db"


def run_server(
    url: Url = None,
    *,
    host: Host = DEFAULT_HOST,
    port: Port = DEFAULT_PORT,
    data: Data = Path("dibs-data"),
    app_path: AppPath = None,
    rate: CallRate = DEFAULT_RATE,
    log_level: Level = LogLevel.INFO,
) -> int:
    """Serve the HTTP API of a store.

    Workers run elsewhere; with --app, inputs are checked against its tasks.
    """
    set_up_logs(log_level)
    app = Dibs(url) if app_path is None else load_app(app_path, url=url)
    return _serve(app, data, (host, port), rate, has_worker=False)


def run_all(
    *,
    data: Data = Path("dibs-data"),
    port: Port = DEFAULT_PORT,
    app_path: AppPath = None,
    _no_browser: NoBrowser = False,
    rate: CallRate = DEFAULT_RATE,
    log_level: Level = LogLevel.WARNING,
) -> int:
    """Run everything in one process on one SQLite file.

    The HTTP API, a worker for the tasks of --app and the built-in ones, and schedules.
    """
    set_up_logs(log_level)
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    url = f"sqlite:///{data.resolve() / DATABASE}"
    app = Dibs(url) if app_path is None else load_app(app_path, url=url)
    return _serve(app, data, (DEFAULT_HOST, port), rate, has_worker=True)


def _serve(app: App, data: Path, address: tuple[str, int], rate: int, *, has_worker: bool) -> int:
    try:
        from dibs.server.launching import Launch, launch
    except ModuleNotFoundError as cause:
        message = f"{cause.name} is not installed. Run: pip install 'dibs[server]'"
        raise MissingExtra(message) from cause
    bind_logs(app.events)
    where = show_url(app.url) if isinstance(app, Dibs) else "the app's store"

    def tell(place: str) -> None:
        output.show_line(f"Ready: {place}/api/v1 on {where}")
        output.hint(f"The first key is in {data / 'bootstrap.key'}; send it as Authorization: Bearer … Ctrl-C stops.")
        sys.stdout.flush()

    host, port = address
    launch(app, Launch(data=data, host=host, port=port, rate=rate, has_worker=has_worker), tell)
    return Exit.DONE
