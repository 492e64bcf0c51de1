"""A network of its own for a crew: `unshare -rn python -m dibs.torture.faults.namespace SOCKET PORT COMMAND…`.

Inside, nothing is reachable but the loopback of the namespace. A relay listens there and leads out through a socket in
the file system, which namespaces share; so taking that loopback down is a real network cut, made by the kernel, for
this crew alone.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

PORT = 7000
PROGRAMS = ("unshare", "nsenter", "ip")
ENTER = ("unshare", "--map-root-user", "--net")
CHUNK = 1 << 16


@cache
def may_make_namespaces() -> bool:
    """Try it."""
    if any(shutil.which(program) is None for program in PROGRAMS):
        return False
    trial = [*ENTER, "ip", "link", "set", "lo", "up"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0  # noqa: S603 - fixed words


def make_command(socket: str, command: Sequence[str]) -> list[str]:
    """Put a command into a namespace of its own."""
    return [*ENTER, sys.executable, "-m", __name__, socket, str(PORT), *command]


def set_loopback(pid: int, state: str) -> None:
    """Take the loopback of somebody's namespace up or down."""
    enter = ["nsenter", "--target", str(pid), "--user", "--net", "--preserve-credentials"]
    subprocess.run([*enter, "ip", "link", "set", "lo", state], check=True, capture_output=True)  # noqa: S603


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, socket: str) -> None:
    with suppress(OSError):
        there_reader, there = await asyncio.open_unix_connection(socket)
        ways = [asyncio.create_task(_carry(reader, there)), asyncio.create_task(_carry(there_reader, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        there.close()
    writer.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()


async def run(socket: str, port: int, command: Sequence[str]) -> int:
    """Relay until the command has ended; signals are passed on to it."""
    up = await asyncio.create_subprocess_exec("ip", "link", "set", "lo", "up")
    await up.wait()
    server = await asyncio.start_server(lambda reader, writer: _relay(reader, writer, socket), "127.0.0.1", port)
    child = await asyncio.create_subprocess_exec(*command)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, child.send_signal, number)
    code = await child.wait()
    server.close()
    return code


if __name__ == "__main__":
    # Connections that stand still must not keep it from leaving.
    os._exit(asyncio.run(run(sys.argv[1], int(sys.argv[2]), sys.argv[3:])) & 0xFF)
