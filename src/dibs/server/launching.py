"""From an app and a data folder to a service that runs."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from dibs.engine.app import App
from dibs.server.application import make_server
from dibs.server.bootstrap import BootstrapGatekeeper, find_key
from dibs.server.builtin import make_builtin
from dibs.server.options import ServerOptions
from dibs.server.serving import Service, listen
from dibs.web.rates import Rate


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """What to start. `has_worker`: run the app's tasks and the built-in ones in the same process."""

    data: Path
    host: str
    port: int
    rate: int
    has_worker: bool


def launch(app: App, plan: Launch, tell: Callable[[str], None]) -> None:
    """Serve until a signal comes; `tell` is given the address once it answers."""
    key = find_key(plan.data)
    if plan.has_worker:
        app.include(make_builtin())
    options = ServerOptions(calls=Rate(per_second=plan.rate, burst=2 * plan.rate))
    server = make_server(app, BootstrapGatekeeper(key), options=options)
    listener = listen(plan.host, plan.port)
    service = Service(server, options, [app.make_worker()] if plan.has_worker else [])
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host

    async def run() -> None:
        try:
            await service.run(listener, on_ready=lambda: tell(f"http://{shown}:{port}"))
        finally:
            await app.close()

    asyncio.run(run())
