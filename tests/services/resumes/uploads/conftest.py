"""A server that takes resumes, with tables in a file and one warm parser for all tests."""

import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

import dibs
from dibs.access.directory import Directory
from dibs.server.application import make_server
from dibs.services.resumes import tasks
from dibs.services.resumes.parser import ResumeParser
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.uploads.tasks import declare_finish
from dibs.storage.roles import TablesRole
from dibs.storage.tables import Tables
from tests.server.conftest import OPTIONS, connect
from tests.server.keys import ACME, GLOBEX, KeyRing

JANE = b"Jane Roe\njane.roe@example.org\n\nExperience\nEngineer, Acme Ltd\n2019 - 2021\n\nSkills\nPython, SQL\n"


@pytest.fixture(scope="session")
def session_parser(tmp_path_factory) -> Iterator[ResumeParser]:
    folder = str(tmp_path_factory.mktemp("documents"))
    with ResumeParser(ResumeSettings(ocr=Engine.RAPID, folder=folder)) as parser:
        parser.sandbox.start()
        yield parser


@pytest.fixture
def url(migrated_file, tmp_path):
    shutil.copy(migrated_file, tmp_path / "tables.db")
    return f"sqlite:///{tmp_path}/tables.db"


@pytest.fixture
async def tables(url):
    async with Tables.at(url) as opened:
        yield opened


@pytest.fixture
async def worker_tables(url):
    async with Tables.at(url, role=TablesRole.WORKER) as opened:
        yield opened


@pytest.fixture
async def engine(worker_tables, session_parser, monkeypatch) -> AsyncIterator[dibs.Dibs]:
    app = dibs.Dibs("memory://")
    app.include(declare_finish(session_parser, worker_tables))
    monkeypatch.setitem(tasks._PARSERS, app, session_parser)
    # The suite runs beside others: a first result that comes late is tested by itself.
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 60.0)
    async with app:
        yield app


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing()


@pytest.fixture
def directory(tables, engine):
    return Directory(tables)


@pytest.fixture
def server(engine, ring, directory):
    return make_server(engine, ring, directory, options=OPTIONS)


@pytest.fixture
async def acme(server) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(server, ACME) as client:
        yield client


@pytest.fixture
async def globex(server) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(server, GLOBEX) as client:
        yield client


@pytest.fixture
async def drain(engine):
    """Run every job that is due, and those that wait for a grace to be over."""

    async def run() -> None:
        await engine.make_worker(until_drained=True).run()

    return run


async def hand_in(client: httpx.AsyncClient, data: bytes = JANE, name: str = "jane.txt") -> dict[str, Any]:
    answered = await client.post("/resumes", files={"file": (name, data)})
    assert answered.status_code in (200, 201), answered.text
    told: dict[str, Any] = answered.json()
    return told
