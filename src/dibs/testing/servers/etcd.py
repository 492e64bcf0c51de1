"""etcd out of the system's package (Debian: `etcd-server`): no wheel carries it."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from dibs.testing.servers.process import ServerMissing, ServerProcess, closing_all, wait_until

_ANSWER_SECONDS = 5.0
# A tenth of the usual time to notice that a leader is gone; the shortest lease becomes one second.
_QUICK = ("--heartbeat-interval=50", "--election-timeout=500")


class EtcdServer(ServerProcess):
    """One member on free TCP ports of 127.0.0.1, without users; alone unless `EtcdCluster` makes it one of several.

    With `tls=True` it signs a certificate for itself: `ca_file` is what a client must trust.
    """

    name = "etcd"
    passing_failures = ("address already in use",)

    def __init__(self, member: str = "alone", *, tls: bool = False) -> None:
        super().__init__()
        self.member = member
        self.peers: dict[str, int] = {member: self.hold_port()}
        self._tls = tls

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"etcds://{self.address}?ca={self.ca_file}" if self._tls else f"etcd://{self.address}"

    @property
    def ca_file(self) -> Path:
        return self.room / "data" / "fixtures" / "client" / "cert.pem"

    def choose_ports(self) -> None:
        super().choose_ports()
        if len(self.peers) == 1:  # Others would have to learn of it.
            self.peers[self.member] = self.hold_port()

    def command(self) -> Sequence[str]:
        scheme = "https" if self._tls else "http"
        own = _peer_url(self.peers[self.member])
        options = {
            "name": self.member,
            "data-dir": str(self.room / "data"),
            "listen-client-urls": f"{scheme}://{self.address}",
            "advertise-client-urls": f"{scheme}://{self.address}",
            "listen-peer-urls": own,
            "initial-advertise-peer-urls": own,
            "initial-cluster": ",".join(f"{name}={_peer_url(port)}" for name, port in self.peers.items()),
            "logger": "zap",
        }
        words = [f"--{name}={value}" for name, value in options.items()]
        return [_find_program(), *words, *_QUICK, *(["--auto-tls"] if self._tls else [])]

    def is_ready(self) -> bool:
        """It says it is healthy once there is a leader."""
        return b'"health":"true"' in self.ask("/health")

    @property
    def is_leader(self) -> bool:
        return b"\netcd_server_is_leader 1\n" in self.ask("/metrics")

    def ask(self, path: str) -> bytes:
        """Get a page, or nothing if it does not answer; enough for set-up, no client."""
        try:
            line = self._open_line()
            with contextlib.closing(line):
                line.request("GET", path)
                return line.getresponse().read()
        except (OSError, http.client.HTTPException):
            return b""

    def _open_line(self) -> http.client.HTTPConnection:
        if not self._tls:
            return http.client.HTTPConnection(self.host, self.port, timeout=_ANSWER_SECONDS)
        context = ssl.create_default_context(cafile=self.ca_file)
        return http.client.HTTPSConnection(self.host, self.port, timeout=_ANSWER_SECONDS, context=context)


class EtcdCluster:
    """Several members that elect a leader among them."""

    def __init__(self, members: int = 3) -> None:
        self.members = [EtcdServer(f"member-{number}") for number in range(members)]
        peers = {one.member: one.peers[one.member] for one in self.members}
        for one in self.members:
            one.peers = peers

    @property
    def url(self) -> str:
        return f"etcd://{','.join(one.address for one in self.members)}"

    def start(self) -> Self:
        # None is ready before most are there, so they start at the same time.
        with closing_all(self.members), ThreadPoolExecutor(len(self.members)) as crew:
            list(crew.map(EtcdServer.start, self.members))
        return self

    def find_leader(self) -> EtcdServer:
        """Ask the members which of them leads."""
        found: list[EtcdServer] = []

        def look() -> bool:
            found[:] = [one for one in self.members if one.is_running and one.is_leader]
            return bool(found)

        wait_until(look, "a member leads")
        return found[0]

    def close(self) -> None:
        for one in self.members:
            one.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


def _peer_url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _find_program() -> str:
    found = shutil.which("etcd", path=os.defpath) or shutil.which("etcd")
    if found is None:
        raise ServerMissing("etcd is not installed: run `apt-get install etcd-server`, or put the program on the PATH")
    return found
