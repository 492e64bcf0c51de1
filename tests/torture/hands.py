"""Hands on servers of our own, for faults that only their owner can bring about."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, cast

from dibs.testing.servers import PostgresServer, ValkeyServer
from dibs.torture.playing import Ground

SMALL_DISK = "small disk"


class PostgresHands:
    """A PostgreSQL server that really syncs."""

    keeps = True

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def start(self) -> None:
        self._server.start()

    def stop(self, mode: str) -> None:
        self._server.stop(cast("Literal['fast', 'immediate']", mode))

    def kill(self) -> None:
        self._server.kill()

    def find_sessions(self) -> list[int]:
        """Sessions of clients over TCP carry the client's address in their title."""
        folder = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children")
        children = [int(word) for word in folder.read_text().split()]
        return [pid for pid in children if b"127.0.0.1(" in _read_title(pid)]


def _read_title(pid: int) -> bytes:
    """A session may end while one looks at it: then it has none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class ValkeyHands:
    """A Valkey server, with or without a memory of what it acknowledged."""

    def __init__(self, server: ValkeyServer, *, keeps: bool) -> None:
        self._server = server
        self.keeps = keeps

    def start(self) -> None:
        self._server.start()

    def stop(self, mode: str) -> None:
        self._server.stop()

    def kill(self) -> None:
        self._server.kill()

    def find_sessions(self) -> list[int]:
        return []


@contextmanager
def open_grounds(*names: str) -> Iterator[list[Ground]]:
    """Give stores of our own.

    They are sqlite, postgres, redis, forgetful, which is a Redis that keeps nothing, and a SQLite file on a small disk.
    """
    with ExitStack() as stack:
        yield [_open_ground(name, stack) for name in names]


@contextmanager
def mount_small_disk() -> Iterator[Path]:
    """Give a folder with little room, where mounting is permitted; elsewhere one like any other."""
    with TemporaryDirectory(prefix="dibs-torture-", ignore_cleanup_errors=True) as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", folder]
        is_mounted = shutil.which("mount") is not None and subprocess.run(mount, check=False).returncode == 0
        try:
            yield Path(folder)
        finally:
            if is_mounted:
                subprocess.run(["umount", "--lazy", folder], check=False)


def _open_ground(name: str, stack: ExitStack) -> Ground:
    if name == SMALL_DISK:
        return Ground(name=name, url=f"sqlite:///{stack.enter_context(mount_small_disk())}/jobs.db")
    if name == "sqlite":
        folder = stack.enter_context(TemporaryDirectory(prefix="dibs-torture-", ignore_cleanup_errors=True))
        return Ground(name=name, url=f"sqlite:///{folder}/jobs.db")
    if name == "postgres":
        postgres = stack.enter_context(PostgresServer(durable=True))
        return Ground(name=name, url=postgres.url, server=PostgresHands(postgres))
    keeps = name != "forgetful"
    valkey = stack.enter_context(ValkeyServer(persistence="always" if keeps else "none"))
    return Ground(name=name, url=valkey.url, server=ValkeyHands(valkey, keeps=keeps))
