"""Serving: uvicorn with a deadline for the head of a request, beside a worker or alone."""

import asyncio
import errno
import gc
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import uvicorn
from fastapi import FastAPI

from dibs.engine.worker.worker import Worker
from dibs.errors import BadInput
from dibs.server.options import ServerOptions
from dibs.server.wire import make_protocol

KEEP_ALIVE = 15
GOODBYE = 5


def make_config(server: FastAPI, options: ServerOptions) -> uvicorn.Config:
    """Configure uvicorn. h11 bounds the size of heads, which httptools does not; the time is bounded here."""
    return uvicorn.Config(
        server,
        http=make_protocol(options.header_seconds, options.head_bytes),
        ws="none",
        loop="asyncio",
        h11_max_incomplete_event_size=options.head_bytes,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GOODBYE,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=bool(options.proxies),
        forwarded_allow_ips=list(options.proxies),
    )


class _Quiet(uvicorn.Server):
    """Leaves signals alone: ours stop the worker, too."""

    def install_signal_handlers(self) -> None:
        """Install none."""

    def capture_signals(self) -> Any:
        """Capture none."""
        return nullcontext()


class Service:
    """A server, and the workers that live in its process."""

    def __init__(self, server: FastAPI, options: ServerOptions, workers: Sequence[Worker] = ()) -> None:
        self._application = server
        self._uvicorn = _Quiet(make_config(server, options))
        self._workers = workers

    async def run(self, listener: socket.socket, *, on_ready: Callable[[], None] | None = None) -> None:
        """Serve until told to stop. If one part fails, the others stop as well."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._serve(listener))
                for worker in self._workers:
                    group.create_task(self._work(worker))
                group.create_task(self._settle(on_ready))
        finally:
            gc.unfreeze()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Take no more requests, end the streams, and let jobs finish within the workers' grace time."""
        self._application.state.hub.close()
        self._application.state.nudges.close()
        self._uvicorn.should_exit = True
        for worker in self._workers:
            worker.stop()

    async def _serve(self, listener: socket.socket) -> None:
        try:
            await self._uvicorn.serve(sockets=[listener])
        finally:
            self.stop()

    async def _work(self, worker: Worker) -> None:
        try:
            await worker.run()
        finally:
            self.stop()

    async def _settle(self, on_ready: Callable[[], None] | None) -> None:
        while not self._uvicorn.started:
            if self._uvicorn.should_exit:
                return
            await asyncio.sleep(0.02)
        # What is there by now stays until the end: whoever looks for garbage need not go through it at some request.
        gc.collect()
        gc.freeze()
        if on_ready is not None:
            on_ready()


def listen(host: str, port: int) -> socket.socket:
    """Take the address; a port of 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or asyncio would leave Nagle's algorithm on: 40 ms more for every answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, TypeError) as cause:
        # A name that cannot be written down, such as one with half a character, never comes to the system.
        listener.close()
        raise BadInput(_explain_refusal(host, port, cause)) from cause
    return listener


def _explain_refusal(host: str, port: int, cause: Exception) -> str:
    if not isinstance(cause, OSError):
        return f"cannot listen on {host[:80]!r}, which is no name of a host. Choose another address with --host."
    said = f"cannot listen on {host}:{port} ({cause.strerror})."
    if cause.errno == errno.EADDRINUSE:
        return f"{said} Is Dibs running there already? Choose another port with --port; 0 takes any that is free."
    if cause.errno == errno.EACCES:
        return f"{said} Choose a port above 1023 with --port."
    return f"{said} Choose another address with --host."
