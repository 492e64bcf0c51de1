"""What a thief of the database gets, what the audit log says, and how soon a revoked key is dead elsewhere."""

import asyncio
import hmac
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dibs.access import actions
from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.access.model import NewKey, NewUser, by_system
from dibs.access.scopes import Role, Scope
from dibs.access.secrets import Passwords, digest_of
from dibs.access.signing_in import SignIn, begin_setup, finish_setup, sign_in
from dibs.assembly import open_backend
from dibs.engine.store.reading import AuditFilter, PageRequest
from dibs.errors import SignInRefused, StoreUnavailable
from dibs.storage.database.address import read_address
from dibs.storage.registry import METADATA
from dibs.storage.tables import Tables
from tests.access.conftest import BOSS, QUICK
from tests.tables import connect_plainly

WANTED = NewKey(tenant="acme", scopes=frozenset({Scope.JOBS_READ}))
PASSWORD = "correct horse battery"
WATCHER = """
import asyncio, sys, time
from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.storage.tables import Tables

async def main():
    async with Tables.at(sys.argv[1]) as tables:
        keeper = StoreGatekeeper(Directory(tables))
        assert await keeper.authenticate_key(sys.argv[2])
        print("alive", flush=True)
        while await keeper.authenticate_key(sys.argv[2]):
            await asyncio.sleep(0.01)
        print(time.time(), flush=True)
        await keeper.settle()

asyncio.run(main())
"""


async def dump(url):
    """Everything that is stored, as text."""
    address = read_address(url)
    if not address.is_postgres:
        return "".join(path.read_bytes().decode("latin-1") for path in Path(address.target).parent.iterdir())
    connection = await connect_plainly(url)
    rows = [str(dict(row)) for name in METADATA.tables for row in await connection.fetch(f'SELECT * FROM "{name}"')]
    await connection.close()
    return "".join(rows)


async def test_a_dump_holds_no_usable_secret(url, directory):
    key, key_secret = await actions.create_key(directory, WANTED, BOSS)
    _, rotated = await actions.rotate_key(directory, "acme", key.id, BOSS)
    await actions.create_user(directory, NewUser(tenant="acme", name="ada", role=Role.VIEWER, password=PASSWORD), BOSS)
    _, cookie = await sign_in(directory, SignIn(name="ada", password=PASSWORD, address="192.0.2.77"))
    link = await begin_setup(directory)
    keeper = StoreGatekeeper(directory)
    assert await keeper.authenticate_key(key_secret)
    await keeper.settle()
    stolen = await dump(url)
    assert key.id in stolen, "the dump has nothing in it"
    assert "$argon2id$" in stolen
    for secret in (key_secret, rotated, cookie, link, PASSWORD, "192.0.2.77"):
        assert secret is not None
        # Not a part of one either; the hint is shorter than this.
        assert secret not in stolen
        assert secret[11:31] not in stolen or len(secret) < 31


async def test_what_is_in_the_dump_opens_nothing(url, directory):
    await actions.create_key(directory, WANTED, BOSS)
    await actions.create_user(directory, NewUser(tenant="acme", name="ada", role=Role.VIEWER, password=PASSWORD), BOSS)
    stored = set(re.findall(r"[0-9a-f]{64}|\$argon2id\$[\w$=,+/]+", await dump(url)))
    assert len(stored) >= 2
    keeper = StoreGatekeeper(directory)
    for value in stored:
        assert await keeper.authenticate_key(value) is None
        assert await keeper.authenticate_session(value) is None
        with pytest.raises(SignInRefused):
            await sign_in(directory, SignIn(name="ada", password=value, address=value))


async def test_a_revoked_key_is_dead_within_a_second_in_two_processes(url):
    async with Tables.at(url) as tables:
        directory = Directory(tables)
        await actions.create_tenant(directory, "acme", BOSS)
        key, secret = await actions.create_key(directory, WANTED, BOSS)
        command = [sys.executable, "-c", WATCHER, url, secret]
        watchers = [await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE) for _ in range(2)]
        for watcher in watchers:
            assert watcher.stdout is not None
            assert await watcher.stdout.readline() == b"alive\n"
        await actions.revoke_key(directory, "acme", key.id, BOSS)
        revoked = time.time()
        ends = [float((await watcher.communicate())[0]) for watcher in watchers]
    assert max(ends) - revoked < 1.0


async def test_every_act_is_in_the_audit_log_with_actor_and_reason(tables):
    async with await open_backend("memory://") as backend:
        directory = Directory(tables, audit=backend.audit, passwords=Passwords(QUICK))
        by = by_system("ann", "new customer")
        await actions.create_tenant(directory, "acme", by)
        key, _ = await actions.create_key(directory, WANTED, by)
        newer, _ = await actions.rotate_key(directory, "acme", key.id, by)
        await actions.revoke_key(directory, "acme", newer.id, by)
        user = await actions.create_user(
            directory, NewUser(tenant="acme", name="ada", role=Role.VIEWER, password=PASSWORD), by
        )
        await actions.disable_user(directory, "acme", "ada", by)
        page = await backend.reader.list_audit(AuditFilter(tenant="acme"), PageRequest())
        entries = [(one.action, one.subject, one.actor, one.reason) for one in reversed(page.items)]
    assert entries == [
        (action, subject, "ann", "new customer")
        for action, subject in [
            ("TENANT_CREATED", "tenant:acme"),
            ("KEY_CREATED", f"key:{key.id}"),
            ("KEY_ROTATED", f"key:{key.id}"),
            ("KEY_REVOKED", f"key:{newer.id}"),
            ("USER_CREATED", f"user:{user.id}"),
            ("USER_DISABLED", f"user:{user.id}"),
        ]
    ]


async def test_the_first_admin_and_every_sign_in_are_in_the_audit_log(tables):
    async with await open_backend("memory://") as backend:
        directory = Directory(tables, audit=backend.audit, passwords=Passwords(QUICK))
        await finish_setup(directory, await begin_setup(directory) or "", "root", PASSWORD)
        await sign_in(directory, SignIn(name="root", password=PASSWORD, address="-"))
        for name in ("root", "nobody"):
            with pytest.raises(SignInRefused):
                await sign_in(directory, SignIn(name=name, password="wrong", address="-"))
        page = await backend.reader.list_audit(AuditFilter(tenant="*"), PageRequest())
    actions_seen = [one.action for one in reversed(page.items)]
    assert actions_seen == ["SETUP_FINISHED", "USER_SIGNED_IN", "SIGN_IN_REFUSED", "SIGN_IN_REFUSED"]
    assert "nobody" not in str(page.items), "what somebody typed may be a password in the wrong field"


class Away:
    """An audit log whose store is away for a while."""

    def __init__(self):
        self.is_away = True
        self.entries = []

    async def append(self, entries, *, connection=None):
        if self.is_away:
            raise StoreUnavailable("away")
        self.entries += entries


async def test_acts_reach_the_audit_log_when_its_store_is_back(tables):
    log = Away()
    directory = Directory(tables, audit=log)  # type: ignore[arg-type]
    await actions.create_tenant(directory, "acme", BOSS)
    key, _ = await actions.create_key(directory, WANTED, BOSS)
    assert log.entries == []
    log.is_away = False
    await actions.revoke_key(directory, "acme", key.id, BOSS)
    assert [one.action for one in log.entries] == ["TENANT_CREATED", "KEY_CREATED", "KEY_REVOKED"]
    await actions.create_key(directory, WANTED, BOSS)
    assert len(log.entries) == 4


async def test_keys_and_sessions_are_compared_in_constant_time(directory, monkeypatch):
    _, secret = await actions.create_key(directory, WANTED, BOSS)
    await actions.create_user(directory, NewUser(tenant="acme", name="ada", role=Role.VIEWER, password=PASSWORD), BOSS)
    _, cookie = await sign_in(directory, SignIn(name="ada", password=PASSWORD, address="-"))
    compared = []
    compare = hmac.compare_digest

    def watched(one, other):
        compared.append(one)
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    keeper = StoreGatekeeper(directory)
    assert await keeper.authenticate_key(secret)
    assert await keeper.authenticate_session(cookie)
    await keeper.settle()
    assert {digest_of(secret).encode(), digest_of(cookie).encode()} <= set(compared)
