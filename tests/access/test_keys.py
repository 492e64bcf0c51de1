"""API keys: shown once, hashed, scoped, ended, rotated."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from dibs.access import actions, store
from dibs.access.keeper import MOST_REMEMBERED, REMEMBERED_SECONDS, StoreGatekeeper
from dibs.access.model import By, NewKey, by_system
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.access.secrets import Minted, digest_of, is_key_shaped, mint_key
from dibs.errors import BadInput, Forbidden, KeyNotFound, NameTaken, TenantNotFound
from tests.access.conftest import BOSS

WANTED = NewKey(tenant="acme", scopes=frozenset({Scope.JOBS_READ, Scope.JOBS_WRITE}), name="robot")


class Timer:
    """Seconds that pass when told to."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
async def timer():
    return Timer()


@pytest.fixture
async def keeper(directory, timer):
    made = StoreGatekeeper(directory, timer=timer)
    yield made
    await made.settle()


async def test_a_key_is_recognised_with_its_tenant_and_scopes(directory, keeper):
    key, secret = await actions.create_key(directory, WANTED, BOSS)
    principal = await keeper.authenticate_key(secret)
    expected = Principal(actor=f"key:{key.id}", tenant="acme", scopes=WANTED.scopes, kind="key")
    assert principal == expected
    assert (key.hint, key.name, key.created_by) == (secret[:11], "robot", "boss")


async def test_a_key_of_the_installation_may_name_any_tenant(directory, keeper):
    _, secret = await actions.create_key(directory, replace(WANTED, tenant=None), BOSS)
    principal = await keeper.authenticate_key(secret)
    assert principal is not None
    assert principal.tenant is None


def test_a_secret_has_a_prefix_enough_chance_and_a_checksum():
    made = {mint_key().secret for _ in range(200)}
    assert len(made) == 200
    assert all(secret.startswith("dibs_") and is_key_shaped(secret) for secret in made)
    # 40 letters out of 62.
    assert all(len(secret) == 5 + 40 + 8 for secret in made)
    secret = made.pop()
    changed = secret[:20] + ("a" if secret[20] != "a" else "b") + secret[21:]
    assert not is_key_shaped(changed)


def test_a_minted_secret_does_not_show_itself():
    assert "dibs_" not in repr(mint_key())
    assert repr(Minted(secret="s3cret", digest="-")) == "Minted(…)"


ODD = [
    "",
    "dibs_",
    "x" * 53,
    "dibs_" + "a" * 48,
    "dibs_" + "é" * 48,
    "a\x00b",
    "\ud800",
    "x" * 1_000_000,
    "' OR 1=1 --",
]


@pytest.mark.parametrize("secret", ODD)
async def test_what_is_no_key_is_refused(keeper, secret):
    assert await keeper.authenticate_key(secret) is None
    assert await keeper.authenticate_session(secret) is None


async def test_a_well_formed_key_that_nobody_made_is_refused(keeper):
    assert await keeper.authenticate_key(mint_key().secret) is None


async def test_the_hash_of_a_key_opens_nothing(directory, keeper):
    _, secret = await actions.create_key(directory, WANTED, BOSS)
    assert await keeper.authenticate_key(digest_of(secret)) is None


async def test_a_revoked_key_is_dead_when_what_is_remembered_is_over(directory, keeper, timer):
    key, secret = await actions.create_key(directory, WANTED, BOSS)
    assert await keeper.authenticate_key(secret)
    revoked = await actions.revoke_key(directory, "acme", key.id, BOSS)
    assert revoked.revoked_at is not None
    timer.seconds += REMEMBERED_SECONDS
    assert await keeper.authenticate_key(secret) is None
    assert REMEMBERED_SECONDS <= 0.5


async def test_a_refusal_is_not_remembered(directory, keeper, monkeypatch):
    minted = mint_key()
    assert await keeper.authenticate_key(minted.secret) is None
    monkeypatch.setattr(actions, "mint_key", lambda: minted)
    await actions.create_key(directory, WANTED, BOSS)
    assert await keeper.authenticate_key(minted.secret)


async def test_what_is_remembered_is_bounded(directory, keeper):
    keeper._remembered = {str(number): (9e9, None) for number in range(MOST_REMEMBERED)}
    _, secret = await actions.create_key(directory, WANTED, BOSS)
    assert await keeper.authenticate_key(secret)
    assert len(keeper._remembered) == 1


async def test_a_key_ends_when_its_life_is_over(directory, keeper, clock, timer):
    _, secret = await actions.create_key(directory, replace(WANTED, life=timedelta(days=90)), BOSS)
    clock.advance(timedelta(days=90) - timedelta(microseconds=1))
    assert await keeper.authenticate_key(secret)
    clock.advance(timedelta(microseconds=1))
    timer.seconds += 1
    assert await keeper.authenticate_key(secret) is None


async def test_a_rotated_key_goes_on_for_the_overlap_and_the_new_one_after_it(directory, keeper, clock, timer):
    old, old_secret = await actions.create_key(directory, replace(WANTED, life=timedelta(days=90)), BOSS)
    clock.advance(timedelta(days=80))
    new, new_secret = await actions.rotate_key(directory, "acme", old.id, BOSS, overlap=timedelta(hours=2))
    assert (new.scopes, new.name, new.replaces, new.expires_at) == (
        old.scopes,
        old.name,
        old.id,
        clock.at + timedelta(days=90),
    )
    assert await keeper.authenticate_key(old_secret)
    assert await keeper.authenticate_key(new_secret)
    clock.advance(timedelta(hours=2))
    timer.seconds += 1
    assert await keeper.authenticate_key(old_secret) is None
    assert await keeper.authenticate_key(new_secret)


async def test_an_overlap_gives_a_key_no_longer_life(directory, clock):
    old, _ = await actions.create_key(directory, replace(WANTED, life=timedelta(hours=1)), BOSS)
    await actions.rotate_key(directory, "acme", old.id, BOSS)
    keys = {key.id: key for key in await actions.list_keys(directory, "acme", BOSS)}
    assert keys[old.id].expires_at == clock.at + timedelta(hours=1)


async def test_a_key_that_has_ended_is_not_rotated(directory):
    key, _ = await actions.create_key(directory, WANTED, BOSS)
    await actions.revoke_key(directory, "acme", key.id, BOSS)
    with pytest.raises(BadInput, match="has ended"):
        await actions.rotate_key(directory, "acme", key.id, BOSS)
    assert len(await actions.list_keys(directory, "acme", BOSS)) == 1


async def test_the_last_use_is_noted_and_not_every_time(directory, keeper, clock, timer):
    key, secret = await actions.create_key(directory, WANTED, BOSS)
    noted = []
    for seconds in (0, 30, 40):
        clock.advance(timedelta(seconds=seconds))
        timer.seconds += seconds
        await keeper.authenticate_key(secret)
        await keeper.settle()
        [seen] = await actions.list_keys(directory, "acme", BOSS)
        noted.append(seen.last_used_at)
    assert noted == [key.created_at, key.created_at, key.created_at + timedelta(seconds=70)]


async def test_another_tenants_key_is_as_missing_as_one_that_never_was(directory):
    key, _ = await actions.create_key(directory, WANTED, BOSS)
    said = []
    for key_id in (key.id, "no-such-key"):
        with pytest.raises(KeyNotFound) as refused:
            await actions.revoke_key(directory, "globex", key_id, BOSS)
        said.append(str(refused.value).replace(key_id, "…"))
    assert said[0] == said[1]
    assert await actions.list_keys(directory, "globex", BOSS) == []


@pytest.mark.parametrize("key_id", ["", "a\x00b", "\ud800", "x" * 100_000, "' OR 1=1 --"])
async def test_an_odd_id_is_a_missing_one(directory, key_id):
    with pytest.raises(KeyNotFound):
        await actions.revoke_key(directory, "acme", key_id, BOSS)


def someone(tenant, *scopes):
    return By(principal=Principal(actor="key:k", tenant=tenant, scopes=frozenset(scopes), kind="key"), reason="-")


async def test_nobody_gives_away_a_scope_that_they_lack(directory):
    clerk = someone("acme", Scope.KEYS_WRITE, Scope.JOBS_READ)
    with pytest.raises(Forbidden, match="jobs:write"):
        await actions.create_key(directory, WANTED, clerk)
    key, _ = await actions.create_key(directory, WANTED, BOSS)
    with pytest.raises(Forbidden, match="jobs:write"):
        await actions.rotate_key(directory, "acme", key.id, clerk)


@pytest.mark.parametrize("tenant", ["globex", None])
async def test_a_tenant_makes_keys_for_itself_only(directory, tenant):
    with pytest.raises(Forbidden, match="another tenant"):
        await actions.create_key(directory, replace(WANTED, tenant=tenant), someone("acme", *Scope))


async def test_whoever_lacks_the_scope_does_nothing(directory):
    clerk = someone("acme", Scope.JOBS_READ)
    for work in (
        actions.create_key(directory, WANTED, clerk),
        actions.list_keys(directory, "acme", clerk),
        actions.revoke_key(directory, "acme", "k", clerk),
        actions.rotate_key(directory, "acme", "k", clerk),
        actions.list_tenants(directory, clerk),
        actions.create_tenant(directory, "new", clerk),
        actions.list_users(directory, "acme", clerk),
        actions.disable_user(directory, "acme", "u", clerk),
    ):
        with pytest.raises(Forbidden, match="lacks the scope"):
            await work


async def test_a_tenant_sees_itself_among_the_tenants(directory):
    assert [one.name for one in await actions.list_tenants(directory, BOSS)] == ["acme", "globex"]
    seen = await actions.list_tenants(directory, someone("acme", Scope.TENANTS_READ))
    assert [one.name for one in seen] == ["acme"]
    with pytest.raises(Forbidden):
        await actions.create_tenant(directory, "new", someone("acme", *Scope))


async def test_a_tenant_is_made_once(directory):
    with pytest.raises(NameTaken, match="acme"):
        await actions.create_tenant(directory, "acme", BOSS)


@pytest.mark.parametrize("name", ["", "*", "x" * 201, "x" * 1_000_000, "a\x00b", "a\nb", "\ud800", "\u202eevil", 7])
async def test_an_odd_tenant_is_refused(directory, name):
    with pytest.raises(BadInput, match="is not a name"):
        await actions.create_tenant(directory, name, BOSS)


async def test_a_key_for_a_missing_tenant_is_refused(directory):
    with pytest.raises(TenantNotFound, match="dibs tenants create"):
        await actions.create_key(directory, replace(WANTED, tenant="nobody"), BOSS)


@pytest.mark.parametrize(
    "changes",
    [
        {"scopes": frozenset()},
        {"scopes": frozenset({"jobs:own"})},
        {"name": "a\x00b"},
        {"name": "x" * 201},
        {"name": " outer "},
        {"life": timedelta(0)},
        {"life": timedelta(days=-1)},
        {"life": timedelta(days=4_000)},
    ],
    ids=str,
)
async def test_an_odd_key_is_refused_and_nothing_is_made(directory, changes):
    with pytest.raises(BadInput):
        await actions.create_key(directory, replace(WANTED, **changes), BOSS)
    assert await actions.list_keys(directory, "acme", BOSS) == []


@pytest.mark.parametrize("name", ["日本語", "Ünïcode", "🔑", "a" * 200, "'; DROP TABLE access_keys; --"])
async def test_a_strange_name_is_kept_as_it_is(directory, name):
    key, _ = await actions.create_key(directory, replace(WANTED, name=name), by_system("boss", "because\x00\ud800"))
    assert [one.name for one in await actions.list_keys(directory, "acme", BOSS)] == [key.name] == [name]


async def test_of_many_that_revoke_at_once_all_see_it_done(directory):
    key, _ = await actions.create_key(directory, WANTED, BOSS)
    ended = await asyncio.gather(*(actions.revoke_key(directory, "acme", key.id, BOSS) for _ in range(5)))
    assert len({one.revoked_at for one in ended}) == 1


async def test_many_who_come_at_once_with_one_key_ask_the_store_once(directory, keeper, monkeypatch):
    _, secret = await actions.create_key(directory, WANTED, BOSS)
    asked, find = [], store.find_presented_key

    async def counting(transaction, digest):
        asked.append(digest)
        return await find(transaction, digest)

    monkeypatch.setattr(store, "find_presented_key", counting)
    waiting = [asyncio.create_task(keeper.authenticate_key(secret)) for _ in range(20)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert len(asked) == 1
    assert {type(one) for one in found[1:]} == {Principal}
