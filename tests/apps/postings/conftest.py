"""Postings with tables on SQLite and PostgreSQL, and with locks on Redis."""

import shutil
from uuid import uuid4

import pytest

from dibs.apps.postings import store
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.model import Place, Posting
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import BoardCard, BoardPolicy
from dibs.assembly import open_backend
from dibs.storage.database.address import read_address
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.access.conftest import Hands
from tests.tables import add_option, empty

TENANT = "default"
FREE = BoardPolicy(approval=Approval.NEVER)


@pytest.fixture(params=["sqlite", "postgres+redis"])
def place(request, tmp_path):
    """Where the tables are; the locks are on Redis where they are on a server."""
    if request.param != "sqlite":
        return request.getfixturevalue("migrated_schema")
    shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "tables.db")
    return f"sqlite:///{tmp_path}/tables.db"


@pytest.fixture
async def url(place):
    yield place
    if read_address(place).is_postgres:
        await empty(place)


@pytest.fixture
async def locks(url, request):
    """Locks on Redis where the tables are on a server; else none."""
    if not read_address(url).is_postgres:
        yield None
        return
    address = add_option(request.getfixturevalue("redis_url"), f"namespace=t{uuid4().hex[:12]}")
    async with await open_backend(address) as backend:
        yield backend.leases


@pytest.fixture
def clock():
    return Hands()


@pytest.fixture
async def office(url, clock, locks):
    async with Tables.at(url, clock=clock) as tables:
        yield Office(tables, locks=locks)


def make_posting(external_id="12345", **more):
    facts = {"title": "Cook", "company": "Ibis", "places": (Place(name="Lima"),), "text": "Cook well."}
    return Posting(external_id=external_id, **{**facts, **more})


async def keep(office, *postings, board="ramp", policy=FREE, tenant=TENANT):
    """Keep a board and postings on it."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        card = BoardCard(name=board, provider="greenhouse", token=board, policy=policy, created_at=transaction.now)
        await store.add_board(transaction, card)
        for posting in postings:
            content = {**store.content_row(board, posting), "digest": store.digest_of(posting)}
            await store.add_posting(transaction, board, posting.external_id, content)


async def find(office, external_id="12345", board="ramp", tenant=TENANT):
    """Read one posting."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return (await store.find_named(transaction, external_id, board))[0]
