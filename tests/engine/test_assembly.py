"""Opening a store by its URL."""

import subprocess
import sys
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest

import dibs
from dibs.assembly import open_backend
from dibs.engine.store.protocols import SchemaState
from dibs.errors import BadInput, MissingExtra, SchemaMismatch, StoreError, StoreUnavailable, UnknownBackend
from dibs.testing.servers.ports import find_free_port


def test_the_public_names_are_sorted_and_exist() -> None:
    assert dibs.__all__ == sorted(dibs.__all__)
    assert all(hasattr(dibs, name) for name in dibs.__all__)


@pytest.mark.parametrize("url", ["mysql://localhost/db", "dibs.db", "", "://", "sqlite3:///x.db"])
async def test_a_url_that_names_no_backend_is_refused_with_those_that_exist(url: str) -> None:
    with pytest.raises(UnknownBackend, match="memory://"):
        await open_backend(url or "x")


async def test_a_path_is_refused_with_the_url_of_a_file() -> None:
    with pytest.raises(UnknownBackend, match=r"'dibs\.db' is no URL\. .* write sqlite:///dibs\.db\."):
        await open_backend("dibs.db")


@pytest.mark.parametrize(
    "url", ["redis://ada:s3cret@[::1", "postgresql://ada:s3cret@\u2100/db", "sqlite://[", "etcd://ada:s3cret@["]
)
async def test_a_url_that_cannot_be_taken_apart_is_refused_without_its_password(url: str) -> None:
    for address, settings in ((url, dibs.Settings()), ("memory://", dibs.Settings(leases_url=url))):
        with pytest.raises(BadInput, match="cannot be read") as refused:
            await open_backend(address, settings=settings)
        assert "s3cret" not in str(refused.value)


async def test_a_missing_driver_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ModuleNotFoundError(name="asyncpg")

    monkeypatch.setattr("dibs.assembly.import_module", refuse)
    with pytest.raises(MissingExtra, match=r"pip install 'dibs\[postgres\]'"):
        await open_backend("postgresql://localhost/db")


@pytest.mark.parametrize(
    ("state", "hint"),
    [
        (SchemaState(found=0, wanted=2, oldest_code=0), "missing.*migrate=True"),
        (SchemaState(found=1, wanted=2, oldest_code=1), "version 1.*needs 2"),
        (SchemaState(found=5, wanted=2, oldest_code=4), "Upgrade Dibs"),
    ],
)
async def test_a_schema_that_does_not_fit_is_refused(
    monkeypatch: pytest.MonkeyPatch, state: SchemaState, hint: str
) -> None:
    async def read_state(_: object) -> SchemaState:
        return state

    monkeypatch.setattr("dibs.backends.memory.schema.MemorySchema.state", read_state)
    with pytest.raises(SchemaMismatch, match=hint):
        await open_backend("memory://", migrate=False)


async def test_a_newer_schema_that_still_serves_this_code_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read_state(_: object) -> SchemaState:
        return SchemaState(found=9, wanted=2, oldest_code=2)

    monkeypatch.setattr("dibs.backends.memory.schema.MemorySchema.state", read_state)
    async with await open_backend("memory://") as backend:
        assert backend.capabilities.shared is False


@pytest.mark.parametrize("url", ["etcd://localhost", "etcds://localhost/locks"])
async def test_a_store_of_leases_is_no_store_of_jobs(url: str) -> None:
    with pytest.raises(UnknownBackend, match="DIBS_LEASES_URL"):
        await open_backend(url)


@pytest.mark.parametrize("url", ["redis://localhost", "consul://localhost", "etcd"])
async def test_leases_elsewhere_need_a_store_that_can_keep_them(url: str) -> None:
    settings = dibs.Settings(leases_url=url)
    with pytest.raises(UnknownBackend, match="etcd://host"):
        await open_backend("memory://", settings=settings)
    with pytest.raises(UnknownBackend, match="etcd://host"):
        dibs.Dibs("memory://", settings=settings)


async def test_a_missing_driver_of_etcd_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        if name == "dibs.backends.etcd":
            raise ModuleNotFoundError(name="httpx")
        return import_module(name)

    monkeypatch.setattr("dibs.assembly.import_module", refuse)
    with pytest.raises(MissingExtra, match=r"httpx.*pip install 'dibs\[etcd\]'"):
        await open_backend("memory://", settings=dibs.Settings(leases_url="etcd://localhost"))


async def test_jobs_go_on_while_the_store_of_leases_is_down() -> None:
    settings = dibs.Settings(leases_url=f"etcd://127.0.0.1:{find_free_port()}")
    async with await open_backend("memory://", settings=settings) as backend:
        assert await backend.store_job(dibs.Job(job_type="t")) is not None
        with pytest.raises(StoreUnavailable, match="etcd"):
            await backend.leases.acquire("lock", "ann", timedelta(seconds=5))
    with pytest.raises(StoreError, match="closed"):
        await backend.leases.find("lock")


async def test_a_store_of_jobs_that_cannot_be_opened_leaves_nothing_open() -> None:
    settings = dibs.Settings(leases_url="etcd://localhost")
    with pytest.raises(StoreUnavailable):
        await open_backend(f"redis://127.0.0.1:{find_free_port()}/0", settings=settings)


def test_importing_dibs_imports_no_driver() -> None:
    heavy = ("asyncpg", "httpx", "redis", "sqlite3", "pytest", "sqlalchemy")
    code = f"import sys, dibs; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


async def test_what_the_house_leases_stays_with_the_jobs(tmp_path):
    settings = dibs.Settings(leases_url="etcd://127.0.0.1:1")
    async with await open_backend(f"sqlite:///{tmp_path}/jobs.db", settings=settings) as backend:
        assert await backend.house_leases.acquire("dibs:sealer", "w", timedelta(seconds=5)) is not None
