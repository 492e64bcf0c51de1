"""Whoever dies while a person is erased does it again, and then nothing is left, wherever it was."""

import shutil

import pytest
from sqlalchemy import select

import dibs
from dibs.access import store as access_store
from dibs.access.model import User
from dibs.access.scopes import Role
from dibs.access.tables import USERS
from dibs.apps.postings.profiles import store as profiles
from dibs.apps.postings.profiles.model import ProfileDraft
from dibs.assembly import load_holdings
from dibs.engine.personal.acting import erase_person
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.services.resumes.uploads import store as uploads
from dibs.services.resumes.uploads.model import Upload
from dibs.services.resumes.uploads.tables import UPLOADS
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

# How she is asked for; only her profile says where she is reached.
ADA, CONTACT = "Ada Byron", "ada@example.org"
ACT = OperatorAct(actor="ann", reason="asked")


@pytest.fixture
async def tables(migrated_file, tmp_path, monkeypatch):
    documents = tmp_path / "documents"
    documents.mkdir()
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(documents))
    shutil.copy(migrated_file, tmp_path / "tables.db")
    async with Tables.at(f"sqlite:///{tmp_path}/tables.db") as opened:
        yield opened


@pytest.fixture
async def app():
    async with dibs.Dibs("memory://") as opened:
        yield opened


async def seed(app, tables):
    async with tables.writing(sight_of("acme")) as transaction:
        now = transaction.now
        await profiles.put_profile(transaction, ProfileDraft(name="p1", full_name=ADA, contact=CONTACT), "ann")
        user = User(id="u1", tenant="acme", name=CONTACT, role=Role.VIEWER, created_at=now)
        await access_store.add_user(transaction, user, "hash")
        await uploads.add_upload(transaction, make_upload(f"{CONTACT}.pdf", now))
    backend = await app.backend()
    await backend.store_jobs(
        [
            dibs.Job(job_type="MAIL", tenant="acme", input={"to": CONTACT}),
            dibs.Job(job_type="RESUME_FINISH", tenant="acme", input={"resume": "resume-1"}),
        ]
    )


def make_upload(name, at):
    return Upload(
        id="resume-1",
        tenant="acme",
        document="0" * 64,
        name=name,
        declared="",
        size=1,
        state="reading",
        status="pending",
        person="",
        round=1,
        version=1,
        uploaded_by="ann",
        created_at=at,
    )


async def die(*_):
    raise SystemExit


async def list_left(app, tables):
    backend = await app.backend()
    jobs = (await backend.reader.list_jobs(dibs.JobFilter(), dibs.PageRequest())).items
    async with tables.reading(sight_of("acme")) as transaction:
        rows = [*await transaction.fetch(select(USERS)), *await transaction.fetch(select(UPLOADS))]
        return [*jobs, *rows, *await profiles.list_profiles(transaction)]


async def test_who_is_interrupted_anywhere_asks_again_and_nothing_is_left(app, tables, monkeypatch):
    backend, inquiry = await app.backend(), Inquiry("acme", [ADA])
    holdings = await load_holdings(app, tables)
    for holding in holdings:
        await seed(app, tables)
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr(holding, "erase", die)
            await erase_person(holdings, inquiry, ACT, backend)
        await erase_person(holdings, inquiry, ACT, backend)
        assert await list_left(app, tables) == [], f"died before {holding.name}"
