"""`dibs server` and `dibs up`: the HTTP API, alone or with a worker in one process."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer
from msgspec.structs import replace

from dibs.assembly import Dibs, furnish
from dibs.cli.exits import Exit
from dibs.cli.loading import load_app
from dibs.cli.logs import LogLevel, set_up_logs
from dibs.cli.options import AppPath, Url
from dibs.cli.printing import output
from dibs.cli.stores import DATA_FOLDER, DATABASE, DEMO_FOLDER, show_url
from dibs.engine.app import App
from dibs.engine.states import WAITING
from dibs.engine.store.reading import JobFilter
from dibs.engine.telemetry.logs import bind_logs
from dibs.errors import BadInput, MissingExtra
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.server.launching import Launch, Started

UNLESS_TOLD = f"{DATA_FOLDER}, with --demo {DEMO_FOLDER}"
Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")]
Port = Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65_535, help="0: any that is free.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="DIBS_DATA", metavar="DIR", help="The folder of files.", show_default=UNLESS_TOLD),
]
FilesData = Annotated[
    Path | None,
    typer.Option(
        "--data", envvar="DIBS_DATA", metavar="DIR", help="The folder of files.", show_default="the current one"
    ),
]
CallRate = Annotated[int, typer.Option("--rate-limit", metavar="N", min=1, help="Requests a second of one key.")]
Demo = Annotated[bool, typer.Option("--demo", help="Fill it with made-up work, to look around.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Open no browser.")]
PublicUrl = Annotated[
    str,
    typer.Option(
        "--public-url",
        envvar="DIBS_PUBLIC_URL",
        metavar="URL",
        help="Where people find it: https://dibs.example.com.",
        show_default="loopback only",
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option("--trust-proxy", metavar="ADDRESS", help="A proxy that tells who asks; may be repeated."),
]
Level = Annotated[LogLevel, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")]
QuietLevel = Annotated[
    LogLevel | None,
    typer.Option(
        "--log-level",
        metavar="LEVEL",
        help="debug, info, warning or error.",
        show_default="warning, with --demo error",
    ),
]

DEFAULT_HOST, DEFAULT_PORT, DEFAULT_RATE = "127.0.0.1", 8470, 200


def run_server(
    url: Url = None,
    *,
    host: Host = DEFAULT_HOST,
    port: Port = DEFAULT_PORT,
    data: FilesData = None,
    app_path: AppPath = None,
    public_url: PublicUrl = "",
    proxies: Proxies = None,
    rate: CallRate = DEFAULT_RATE,
    log_level: Level = LogLevel.INFO,
) -> int:
    """Serve the HTTP API of a store.

    Workers run elsewhere. Inputs are checked against the tasks of --app, and of all that is installed.
    """
    set_up_logs(log_level)
    app = _find_app(app_path, url, data)
    plan = _plan((host, port), rate, public_url, tuple(proxies or ()), has_worker=False)
    return _serve(app, plan, is_browsing=False)


def run_all(
    *,
    data: Data = None,
    port: Port = DEFAULT_PORT,
    app_path: AppPath = None,
    is_demo: Demo = False,
    is_quiet: NoBrowser = False,
    public_url: PublicUrl = "",
    proxies: Proxies = None,
    rate: CallRate = DEFAULT_RATE,
    log_level: QuietLevel = None,
) -> int:
    """Run everything in one process on one SQLite file.

    The HTTP API, a worker for the tasks of --app and of all that is installed, and schedules.
    """
    # The demo's jobs fail on purpose: lines about it would push the link out of sight.
    set_up_logs(log_level or (LogLevel.ERROR if is_demo else LogLevel.WARNING))
    folder = data or (DEMO_FOLDER if is_demo else DATA_FOLDER)
    has_own_store = data is None and bool(os.environ.get("DIBS_URL"))
    url = None if has_own_store else f"sqlite:///{quote(str(folder.resolve() / DATABASE))}"
    _make_folder(folder)
    plan = _plan((DEFAULT_HOST, port), rate, public_url, tuple(proxies or ()), has_worker=True)
    app = _find_app(app_path, url, folder)
    if is_demo:
        plan = _add_demo(app, plan)
    return _serve(app, plan, is_browsing=not is_quiet)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as cause:
        message = f"cannot make the folder {folder} ({cause.strerror}). Choose one that you may write to with --data."
        raise BadInput(message) from cause


def _add_demo(app: App, plan: "Launch") -> "Launch":
    from dibs.server.demo.sites import Sites
    from dibs.server.demo.tasks import make_demo

    async def count_waiting() -> int:
        counts = await (await app.backend()).reader.count_jobs(JobFilter(states=WAITING))
        return sum(counts.values())

    app.include(make_demo(Sites(app), count_waiting=count_waiting))
    return replace(plan, is_demo=True)


def _find_app(path: str | None, url: str | None, data: Path | None) -> App:
    """Give the app, on the store that is meant, with the tasks of all that is installed."""
    app = Dibs(url or Settings.from_env().url) if path is None else load_app(path, url=url)
    if data is not None:
        app.settings = replace(app.settings, data=str(data))
    furnish(app)
    return app


def _plan(
    address: tuple[str, int], rate: int, public_url: str, proxies: tuple[str, ...], *, has_worker: bool
) -> "Launch":
    try:
        from dibs.server.launching import Launch
        from dibs.server.options import BURST_SECONDS, ServerOptions
        from dibs.web.rates import Rate
        from dibs.web.sessions import Home
    except ModuleNotFoundError as cause:
        message = f"{cause.name} is not installed. Run: pip install 'dibs[server]'"
        raise MissingExtra(message) from cause
    host, port = address
    calls = Rate(per_second=rate, burst=BURST_SECONDS * rate)
    options = ServerOptions(calls=calls, home=Home(public_url=public_url), proxies=proxies)
    return Launch(host=host, port=port, options=options, has_worker=has_worker)


def _serve(app: App, plan: "Launch", *, is_browsing: bool) -> int:
    from dibs.server.launching import launch

    bind_logs(app.events)

    def tell(started: "Started") -> None:
        _greet(app, started)
        if is_browsing and _has_browser():
            import webbrowser

            webbrowser.open(started.setup or started.place)

    launch(app, plan, tell)
    return Exit.DONE


def _greet(app: App, started: "Started") -> None:
    where = show_url(app.url) if isinstance(app, Dibs) else "the app's store"
    output.show_line(f"Ready: {started.place} on {where}")
    if started.address != started.place:
        output.show_line(f"Listens on: {started.address}")
    if started.setup is not None:
        output.show_line(f"Set up: {started.setup} (open it in a browser; it works once, for 24 hours)")
    else:
        output.show_line(f"Dashboard: {started.place}/")
    sys.stdout.flush()
    if isinstance(app, Dibs):
        output.hint(f"A key for a program: dibs keys create --url '{where}' --tenant NAME --scope jobs:write")
    output.hint("Ctrl-C stops.")


def _has_browser() -> bool:
    """Whether somebody sits before a screen; a browser in the terminal would take it from us."""
    has_screen = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return has_screen and sys.stdout.isatty()
