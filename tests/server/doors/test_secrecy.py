"""After all that can be done over HTTP, a dump of the database holds no usable key, password, session or link."""

import hashlib
import sqlite3
from contextlib import closing

import pytest

from dibs.access.actions import create_key, create_tenant
from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.access.model import NewKey
from dibs.access.scopes import Scope
from dibs.access.secrets import Passwords
from dibs.access.signing_in import begin_setup
from dibs.server.application import make_server
from dibs.storage.database.address import read_address
from dibs.storage.registry import METADATA
from dibs.storage.tables import Tables
from dibs.web.kept.answers import TableAnswers
from tests.access.conftest import BOSS, QUICK, place, url  # noqa: F401 - fixtures
from tests.server.conftest import OPTIONS, connect
from tests.tables import connect_plainly

PASSWORD, OTHER_PASSWORD, FIRST_PASSWORD = "correct horse battery", "staple horse battery", "first horse battery"
WHY = {"reason": "because"}


async def dump(url: str) -> str:  # noqa: F811 - the fixture's value
    """Write out every row of every table, as whoever has the database could."""
    if not read_address(url).is_postgres:
        with closing(sqlite3.connect(read_address(url).target)) as connection, connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return "\n".join(repr(row) for name in names for row in connection.execute(f'SELECT * FROM "{name}"'))
    server = await connect_plainly(url)
    rows = [row for name in METADATA.tables for row in await server.fetch(f'SELECT * FROM "{name}"')]
    await server.close()
    return "\n".join(repr(tuple(row.values())) for row in rows)


@pytest.fixture
async def directory(url):  # noqa: F811 - the fixture
    async with Tables.at(url) as tables:
        made = Directory(tables, passwords=Passwords(QUICK))
        await create_tenant(made, "acme", BOSS)
        yield made


async def use_everything(server, directory) -> list[str]:
    """Do all that brings secrets in or out, under idempotency keys; gives the secrets."""
    first = (await create_key(directory, NewKey(tenant="acme", scopes=frozenset(Scope)), BOSS))[1]
    setup = await begin_setup(directory)
    async with connect(server, first) as client:

        async def post(path, **body):
            answered = await client.post(path, json={**body, **WHY}, headers={"Idempotency-Key": path})
            assert answered.status_code in (200, 201), answered.text
            again = await client.post(path, json={**body, **WHY}, headers={"Idempotency-Key": path})
            assert again.json() == answered.json()
            return answered.json()

        made = await post("/keys", scopes=["jobs:read"])
        turned = await post(f"/keys/{made['id']}/rotate")
        hook = await post("/webhooks", url="https://example.com/hook", events=["alert"])
        signing = await post(f"/webhooks/{hook['id']}/rotate")
        await post("/users", name="ada", role="viewer", password=PASSWORD)
        await post("/users/ada/password", password=OTHER_PASSWORD)
    async with connect(server, None) as browser:
        browser.base_url, browser.headers["Origin"] = "http://localhost", "http://localhost"
        assert (await browser.post(f"/setup/{setup}", json={"name": "bo", "password": FIRST_PASSWORD})).is_success
        assert (await browser.post("/sign-in", json={"name": "ada", "password": OTHER_PASSWORD})).is_success
        session = browser.cookies["dibs"]
    signed = [one["secret"].removeprefix("whsec_") for one in (hook, signing)]
    return [first, made["key"], turned["key"], *signed, setup, session, PASSWORD, OTHER_PASSWORD, FIRST_PASSWORD]


async def test_a_dump_holds_no_usable_key_or_password(engine, directory, url, monkeypatch):  # noqa: F811 - the fixture
    monkeypatch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
    gatekeeper = StoreGatekeeper(directory)
    server = make_server(engine, gatekeeper, directory, options=OPTIONS, answers=TableAnswers(directory.tables))
    secrets = await use_everything(server, directory)
    await gatekeeper.settle()
    dumped = await dump(url)
    assert "argon2id" in dumped
    assert "web_answers" in METADATA.tables
    for secret in secrets:
        assert secret not in dumped
    for password in (PASSWORD, OTHER_PASSWORD, FIRST_PASSWORD):
        # Quick hashes of what people choose can be guessed at.
        for quick in (hashlib.md5, hashlib.sha1, hashlib.sha256):
            assert quick(password.encode()).hexdigest() not in dumped
