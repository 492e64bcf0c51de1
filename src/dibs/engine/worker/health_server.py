"""Health over HTTP: 200 when well, 503 when not."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from dibs.engine.worker.health import Health
from dibs.errors import BadInput

LONGEST_REQUEST = 8_192
PATIENCE = 5.0


@asynccontextmanager
async def serve_health(health: Health, *, host: str, port: int) -> AsyncIterator[asyncio.Server]:
    """Answer any request with the worker's health, from the event loop that this is called on."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(PATIENCE):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(_render(health))
                await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, host, port, limit=LONGEST_REQUEST)
    except OSError as cause:
        reason = os.strerror(cause.errno) if cause.errno else str(cause)
        message = f"cannot answer about this worker's health on {host}:{port} ({reason}). Choose another health port."
        raise BadInput(message) from cause
    async with server:
        yield server


def _render(health: Health) -> bytes:
    report = health.report()
    body = json.dumps(report).encode()
    status = "200 OK" if report["status"] == "green" else "503 Service Unavailable"
    head = (f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close")
    return "\r\n".join([*head, "", ""]).encode() + body
