"""What is installed is named in one place, and each part of it is found by its file's name."""

import asyncio
import sys

import pytest
from structlog.testing import capture_logs

import dibs
from dibs import assembly
from dibs.assembly import find_tables_schema, furnish, load_holdings, load_parts, make_directory, migrate_tables
from dibs.errors import BadInput
from dibs.server.application import make_server
from dibs.settings import Settings
from dibs.storage.registry import METADATA
from dibs.storage.sight import sight_of
from tests.server.conftest import OPTIONS, connect
from tests.server.keys import ACME, KeyRing

TABLES = """
from pathlib import Path
from sqlalchemy import Column, Text
from dibs.storage.registry import Section, owned_table
SECTION = Section(name="planted", migrations=Path(__file__).parent / "migrations")
NOTES = owned_table("planted_notes", Column("tenant", Text, primary_key=True), Column("text", Text))
"""
MIGRATION = """
import sqlalchemy as sa
from alembic import op
from dibs.storage.policies import EVERYTHING, protect
revision, down_revision, branch_labels, depends_on = "planted_0001", None, ("planted",), None
def upgrade():
    op.create_table("planted_notes", sa.Column("tenant", sa.Text, primary_key=True), sa.Column("text", sa.Text))
    protect("planted_notes", api=EVERYTHING, worker=EVERYTHING)
"""
TASKS = """
from dibs.engine.tasks.blueprint import Blueprint
from dibs.storage.sight import sight_of
from planted.tables import NOTES
def make_blueprint(*, tables):
    blueprint = Blueprint()
    @blueprint.task("NOTE")
    async def note(text: str) -> str:
        async with tables.writing(sight_of("acme")) as transaction:
            await transaction.add(NOTES, text=text)
        return text
    return blueprint
"""
ROUTES = """
from starlette.requests import Request
from dibs.access.scopes import Scope
from dibs.web.answers.json import answer
from dibs.web.doors import door, make_router
router = make_router("planted", "/api/v1")
@router.get("/planted", **door(Scope.JOBS_READ))
async def show(request: Request):
    '''Show whose it is.'''
    return answer({"tenant": request.state.principal.tenant})
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A package that is installed for one test."""
    package = tmp_path / "planted"
    (package / "migrations").mkdir(parents=True)
    parts = {"__init__": "", "tables": TABLES, "tasks": TASKS, "routes": ROUTES, "migrations/planted_0001": MIGRATION}
    for name, text in parts.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(assembly, "INSTALLED", ("planted",))
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "planted"]:
        del sys.modules[name]
    if "planted_notes" in METADATA.tables:
        METADATA.remove(METADATA.tables["planted_notes"])


@pytest.fixture
def app(tmp_path):
    return dibs.Dibs("memory://", settings=Settings(url="memory://", tables_url=f"sqlite:///{tmp_path}/tables.db"))


async def test_tables_tasks_and_routes_of_what_is_installed_are_part_of_the_house(planted, app):
    furnish(app)
    await migrate_tables(app)
    directory = make_directory(None, app.url, settings=app.settings)
    server = make_server(app, KeyRing(), directory, options=OPTIONS)
    async with app, directory.tables:
        async with connect(server, ACME) as client:
            assert (await client.get("/planted")).json() == {"tenant": "acme"}
        await app.enqueue("NOTE", {"text": "kept"})
        await app.make_worker(until_drained=True).run()
        notes = sys.modules["planted.tables"].NOTES
        async with directory.tables.reading(sight_of("acme")) as transaction:
            assert [row["text"] for row in await transaction.fetch(notes.select())] == ["kept"]


def test_a_part_that_it_does_not_have_is_no_fault(planted):
    assert list(load_parts("pages")) == []


def test_a_part_whose_extra_is_missing_is_left_out(planted):
    (planted / "pages.py").write_text("import no_such_package")
    assert list(load_parts("pages")) == []


def test_a_part_of_ours_that_is_broken_is_not_left_out(planted):
    (planted / "pages.py").write_text("import dibs.no_such_module")
    with pytest.raises(ModuleNotFoundError):
        list(load_parts("pages"))


def test_a_blueprint_that_asks_for_something_strange_is_refused(planted, app):
    (planted / "tasks.py").write_text("def make_blueprint(*, moon): ...")
    with pytest.raises(BadInput, match=r"asks for 'moon'. There are: app, settings, tables"):
        furnish(app)


def test_what_is_really_installed_can_be_loaded():
    for part in ("tables", "tasks", "routes", "pages", "commands", "holdings"):
        for module in load_parts(part):
            assert module.__name__.endswith(f".{part}")
    assert asyncio.run(find_tables_schema("sqlite:///nowhere.db").state()).unknown == ()


async def test_what_holds_something_about_people_and_is_left_out_is_told_once(planted, app):
    (planted / "holdings.py").write_text("import no_such_package")
    async with app:
        with capture_logs() as told:
            await load_holdings(app, None)
    assert [entry["missing"] for entry in told if entry["event"] == "assembly.part.left_out"] == ["no_such_package"]
