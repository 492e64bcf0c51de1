"""A person who has an account, or after whom a key is called, can ask for both, and be forgotten."""

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from dibs.access import actions, store
from dibs.access.holdings import AccountsHolding
from dibs.access.model import NewKey, NewUser
from dibs.access.scopes import Role, Scope
from dibs.access.signing_in import SignIn, sign_in
from dibs.access.tables import SESSIONS
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.errors import SignInRefused
from dibs.storage.sight import sight_of
from tests.access.conftest import BOSS

ADA = "ada@example.org"
USER = NewUser(tenant="acme", name=ADA, role=Role.OPERATOR, password="correct horse battery")
OTHER = replace(USER, name="grace@example.org")
KEY = NewKey(tenant="acme", name=f"laptop of {ADA}", scopes=frozenset({Scope.JOBS_READ}))
ENTRY = SignIn(name=ADA, password=USER.password, address="192.0.2.1")
WHO = Inquiry("acme", [ADA])
WHY = OperatorAct(actor="boss", reason="asked to be forgotten")


@pytest.fixture
async def holding(directory, tables):
    for user in (USER, OTHER):
        await actions.create_user(directory, user, BOSS)
    await actions.create_key(directory, KEY, BOSS)
    await actions.create_key(directory, replace(KEY, name="the crawler"), BOSS)
    await sign_in(directory, ENTRY)
    return AccountsHolding(tables)


async def list_names(tables):
    async with tables.reading(sight_of("acme")) as transaction:
        users, keys = await store.list_users(transaction), await store.list_keys(transaction)
    return [*(user.name for user in users), *(key.name for key in keys)]


async def test_account_and_key_are_given_out_without_a_secret(holding):
    found = await holding.find(WHO)
    assert [(one.kind, one.data["name"]) for one in found] == [("user", ADA), ("key", KEY.name)]
    assert not any("hash" in field or "digest" in field for one in found for field in one.data)


async def test_an_account_goes_with_its_sessions_and_a_key_goes_on_under_another_name(holding, tables, directory):
    assert (await holding.erase(WHO, WHY)).count == 2
    assert await list_names(tables) == [OTHER.name, "laptop of [erased]", "the crawler"]
    async with tables.reading(sight_of("acme")) as transaction:
        assert await transaction.fetch(select(SESSIONS)) == []
    with pytest.raises(SignInRefused):
        await sign_in(directory, ENTRY)
    assert (await holding.erase(WHO, WHY)).count == 0


async def test_another_tenant_finds_nobody(holding, tables):
    elsewhere = Inquiry("globex", [ADA])
    assert await holding.find(elsewhere) == []
    assert (await holding.erase(elsewhere, WHY)).count == 0
    assert ADA in await list_names(tables)
