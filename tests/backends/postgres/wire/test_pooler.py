"""Behind PgBouncer in transaction mode, where every transaction may meet another server session."""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import pytest

import dibs
from dibs.testing.servers.ports import hold_port
from dibs.testing.servers.process import wait_until

PGBOUNCER = "/usr/sbin/pgbouncer"
pytestmark = pytest.mark.system


@pytest.fixture
def pooler_url(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A pooler with fewer server connections than we have clients. It fails, not skips, where PgBouncer is missing."""
    assert Path(PGBOUNCER).exists(), "PgBouncer is not installed: run `apt-get install pgbouncer`"
    server, folder = urlsplit(postgres_url), tmp_path_factory.mktemp("pgbouncer")
    with hold_port() as port:
        settings = write_settings(folder, server, port)
        open_to_others(folder)
        # PgBouncer refuses to run as root.
        as_whom = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen([PGBOUNCER, "-q", str(settings)], **as_whom)  # type: ignore[call-overload]
        try:
            wait_until(lambda: answers(port), "PgBouncer listens")
            yield f"postgresql://{server.username}@127.0.0.1:{port}/postgres?pooler=transaction"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def write_settings(folder: Path, server: SplitResult, port: int) -> Path:
    users = folder / "users.txt"
    users.write_text(f'"{server.username}" ""\n')
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={server.hostname} port={server.port} user={server.username}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\nauth_file = {users}\n"
        "pool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 100\nunix_socket_dir =\n"
    )
    return settings


def open_to_others(folder: Path) -> None:
    """Let another user read the settings: pytest makes its folders private."""
    for path in [*folder.iterdir(), folder, *folder.parents]:
        if "pytest" in str(path):
            path.chmod(0o755)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_a_whole_life_behind_a_transaction_pooler(pooler_url: str, postgres_url: str) -> None:
    async with (
        await dibs.open_backend(f"{pooler_url}&schema=pooled&pool_size=8") as one,
        await dibs.open_backend(f"{pooler_url}&schema=pooled&pool_size=8") as two,
    ):
        await one.copy_jobs([dibs.Job(job_type="t") for _ in range(1200)])
        await asyncio.gather(*(one.store_jobs([dibs.Job(job_type="t") for _ in range(20)]) for _ in range(40)))

        async def work(backend: dibs.Backend) -> int:
            done = 0
            while jobs := await backend.claim_pending_jobs(7):
                assert all(await backend.heartbeat_jobs([job.lease for job in jobs]))
                done += sum(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
            return done

        assert sum(await asyncio.gather(*(work(backend) for backend in (one, two) for _ in range(6)))) == 2000
        assert (await one.reader.count_jobs(dibs.JobFilter()))[dibs.State.SUCCEEDED] >= 2000


async def test_nobody_listens_through_a_transaction_pooler_and_nobody_minds(pooler_url: str) -> None:
    async with (
        await dibs.open_backend(f"{pooler_url}&schema=pooled") as backend,
        backend.notices.subscribe() as subscription,
    ):
        await backend.store_job(dibs.Job(job_type="t"))
        assert not await subscription.wait(timedelta(milliseconds=50))
        assert await backend.claim_pending_job() is not None
