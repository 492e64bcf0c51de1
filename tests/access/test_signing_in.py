"""Users, sessions, the first admin, and guessing."""

import asyncio
from datetime import timedelta

import argon2
import pytest
from msgspec.structs import replace
from sqlalchemy import select

from dibs.access import actions, store
from dibs.access.directory import Directory
from dibs.access.keeper import StoreGatekeeper
from dibs.access.model import AccessRules, By, NewUser, by_system
from dibs.access.principal import Principal
from dibs.access.scopes import SCOPES_OF_ROLES, Role, Scope
from dibs.access.secrets import Passwords
from dibs.access.signing_in import SignIn, begin_setup, finish_setup, sign_in, sign_out
from dibs.access.tables import SESSIONS, USERS
from dibs.errors import BadInput, Forbidden, NameTaken, SignInRefused, TooManySignIns, UserNotFound
from dibs.storage.sight import sight_of
from tests.access.conftest import BOSS

ADA = NewUser(tenant="acme", name="Ada", role=Role.OPERATOR, password="correct horse battery")
RIGHT = SignIn(name="ada", password=ADA.password, address="192.0.2.1")
WRONG = replace(RIGHT, password="wrong horse battery")


@pytest.fixture
async def keeper(directory):
    made = StoreGatekeeper(directory, timer=iter(range(10**6)).__next__)
    yield made
    await made.settle()


@pytest.fixture
async def ada(directory):
    return await actions.create_user(directory, ADA, BOSS)


async def test_a_user_signs_in_and_is_recognised(directory, keeper, ada):
    user, cookie = await sign_in(directory, RIGHT)
    assert user.id == ada.id
    principal = await keeper.authenticate_session(cookie)
    scopes = SCOPES_OF_ROLES[Role.OPERATOR]
    expected = Principal(actor=f"user:{ada.id}", tenant="acme", scopes=scopes, kind="user", name="ada")
    assert principal == expected


async def test_upper_and_lower_case_and_width_of_a_name_do_not_matter(directory, ada):
    assert (await sign_in(directory, replace(RIGHT, name="\uff21DA")))[0].id == ada.id
    with pytest.raises(NameTaken, match="another name"):
        await actions.create_user(directory, replace(ADA, tenant="globex", name="aDa"), BOSS)


@pytest.mark.parametrize(
    "asked",
    [
        WRONG,
        replace(RIGHT, name="nobody"),
        replace(RIGHT, name=""),
        replace(RIGHT, name="a\x00b"),
        replace(RIGHT, name="\ud800"),
        replace(RIGHT, name="x" * 1_000_000),
        replace(RIGHT, name="ada' OR '1'='1"),
        replace(RIGHT, password=""),
        replace(RIGHT, password="\ud800"),
        replace(RIGHT, password="\x00" * 100),
    ],
    ids=lambda asked: ascii(asked.name[:20] + "/" + asked.password[:20]),
)
async def test_whatever_is_wrong_is_refused_in_the_same_words(directory, ada, asked):
    with pytest.raises(SignInRefused, match="the name or the password is wrong"):
        await sign_in(directory, asked)


async def test_a_name_that_nobody_has_costs_a_hash_as_well(directory, ada, monkeypatch):
    checked: list[str] = []
    verify = Passwords._verify

    def watched(self, stored, password):
        checked.append(stored)
        return verify(self, stored, password)

    monkeypatch.setattr(Passwords, "_verify", watched)
    for name in ("ada", "nobody", "a\x00b"):
        with pytest.raises(SignInRefused):
            await sign_in(directory, replace(WRONG, name=name))
    assert len(checked) == 3
    assert all(stored.startswith("$argon2id$") for stored in checked)


async def test_a_session_ends_when_it_is_idle(directory, keeper, clock, ada):
    _, cookie = await sign_in(directory, RIGHT)
    for _ in range(5):
        clock.advance(timedelta(minutes=59))
        assert await keeper.authenticate_session(cookie)
        await keeper.settle()
    clock.advance(timedelta(hours=1))
    assert await keeper.authenticate_session(cookie) is None


async def test_a_session_that_is_only_looked_at_is_idle_and_a_look_stands_for_no_use(directory, keeper, clock, ada):
    _, cookie = await sign_in(directory, RIGHT)
    clock.advance(timedelta(minutes=40))
    remembering = StoreGatekeeper(directory, timer=lambda: 0.0)
    for is_use in (False, True):
        assert await remembering.authenticate_session(cookie, is_use=is_use)
    await remembering.settle()
    clock.advance(timedelta(minutes=40))
    assert await keeper.authenticate_session(cookie, is_use=False), "the use was noted though a look came before"
    await keeper.settle()
    clock.advance(timedelta(minutes=21))
    assert await keeper.authenticate_session(cookie) is None


async def test_a_session_ends_in_the_end_however_busy_it_is(directory, keeper, clock, ada):
    _, cookie = await sign_in(directory, RIGHT)
    for _ in range(23):
        clock.advance(timedelta(minutes=30))
        assert await keeper.authenticate_session(cookie)
        await keeper.settle()
    clock.advance(timedelta(minutes=30))
    assert await keeper.authenticate_session(cookie) is None


async def test_signing_out_ends_one_session(directory, keeper, ada):
    cookies = [(await sign_in(directory, RIGHT))[1] for _ in range(2)]
    await sign_out(directory, cookies[0])
    await sign_out(directory, "nonsense")
    assert await keeper.authenticate_session(cookies[0]) is None
    assert await keeper.authenticate_session(cookies[1])


async def test_a_disabled_user_is_out_at_once_and_stays_out(directory, keeper, ada):
    _, cookie = await sign_in(directory, RIGHT)
    disabled = await actions.disable_user(directory, "acme", "ADA", BOSS)
    assert disabled.disabled_at is not None
    assert await keeper.authenticate_session(cookie) is None
    with pytest.raises(SignInRefused):
        await sign_in(directory, RIGHT)


async def test_another_password_ends_all_sessions(directory, keeper, ada):
    _, cookie = await sign_in(directory, RIGHT)
    await actions.set_password(directory, "acme", "ada", "quite another one", BOSS)
    assert await keeper.authenticate_session(cookie) is None
    with pytest.raises(SignInRefused):
        await sign_in(directory, RIGHT)
    assert await sign_in(directory, replace(RIGHT, password="quite another one"))


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
async def test_who_is_overtaken_by_another_password_begins_no_session_with_the_old_one(directory, ada, monkeypatch):
    note = store.note_sign_in

    async def overtaken(*facts):
        await actions.set_password(directory, "acme", ada.name, "another horse battery", BOSS)
        return await note(*facts)

    monkeypatch.setattr(store, "note_sign_in", overtaken)
    with pytest.raises(SignInRefused):
        await sign_in(directory, RIGHT)
    async with directory.tables.reading(sight_of("acme")) as transaction:
        assert await transaction.fetch(select(SESSIONS)) == []


async def test_two_who_come_in_at_once_both_do_although_the_password_is_hashed_anew(directory, ada, monkeypatch):
    directory.passwords = Passwords(argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=2))
    verify, both = Passwords.verify, asyncio.Barrier(2)
    waits = iter((True, True))

    async def together(self, stored, password):
        is_right = await verify(self, stored, password)
        if next(waits, False):
            await both.wait()
        return is_right

    monkeypatch.setattr(Passwords, "verify", together)
    came = await asyncio.gather(sign_in(directory, RIGHT), sign_in(directory, RIGHT))
    assert [user.id for user, _ in came] == [ada.id, ada.id]


async def test_a_user_disabled_while_the_password_is_checked_stays_out(directory, ada, monkeypatch):
    verify = Passwords.verify

    async def slowly(self, stored, password):
        is_right = await verify(self, stored, password)
        await actions.disable_user(directory, "acme", "ada", BOSS)
        return is_right

    monkeypatch.setattr(Passwords, "verify", slowly)
    with pytest.raises(SignInRefused):
        await sign_in(directory, RIGHT)


async def test_an_account_cannot_be_guessed_at_without_end(directory, clock, ada):
    for number in range(10):
        with pytest.raises(SignInRefused):
            await sign_in(directory, replace(WRONG, address=f"192.0.2.{number}"))
    with pytest.raises(TooManySignIns, match="Try again in 15") as refused:
        await sign_in(directory, replace(RIGHT, address="198.51.100.1"))
    assert refused.value.retry_after == timedelta(minutes=15)
    clock.advance(timedelta(minutes=15))
    assert await sign_in(directory, RIGHT)


async def test_an_address_cannot_guess_at_many_accounts(directory, ada):
    for number in range(50):
        with pytest.raises(SignInRefused):
            await sign_in(directory, replace(WRONG, name=f"user-{number}"))
    with pytest.raises(TooManySignIns):
        await sign_in(directory, RIGHT)
    assert await sign_in(directory, replace(RIGHT, address="198.51.100.1"))


async def test_guesses_at_the_same_time_are_all_counted(directory, ada):
    guesses = [replace(WRONG, address=f"192.0.2.{number}") for number in range(30)]
    answers = await asyncio.gather(*(sign_in(directory, guess) for guess in guesses), return_exceptions=True)
    assert sum(not isinstance(answer, TooManySignIns) for answer in answers) == 10


async def test_the_right_password_forgives_the_wrong_ones(directory, ada):
    for _ in range(3):
        for _ in range(9):
            with pytest.raises(SignInRefused):
                await sign_in(directory, WRONG)
        assert await sign_in(directory, RIGHT)


async def test_a_hash_of_older_parameters_is_made_anew(directory, tables, ada):
    assert "m=8," in await read_hash(tables)
    await sign_in(Directory(tables, passwords=Passwords()), RIGHT)
    assert "m=65536," in await read_hash(tables)


async def read_hash(tables):
    async with tables.reading(sight_of("acme")) as transaction:
        [row] = await transaction.fetch(select(USERS.c.password_hash))
    return row["password_hash"]


async def test_the_first_admin_comes_in_by_a_link_that_works_once(directory, keeper):
    secret = await begin_setup(directory)
    other = await begin_setup(directory)
    assert secret
    assert other
    admin = await finish_setup(directory, secret, "root", "a long enough password")
    assert (admin.role, admin.tenant) == (Role.ADMIN, None)
    assert await begin_setup(directory) is None
    for link in (secret, other, "nonsense", "", "\ud800"):
        with pytest.raises(SignInRefused, match="setup link"):
            await finish_setup(directory, link, "second", "a long enough password")
    _, cookie = await sign_in(directory, SignIn(name="root", password="a long enough password", address="-"))
    principal = await keeper.authenticate_session(cookie)
    assert principal is not None
    assert (principal.tenant, principal.scopes) == (None, frozenset(Scope))


async def test_of_two_links_used_at_the_same_time_one_makes_an_admin(directory):
    links = [await begin_setup(directory) for _ in range(4)]
    work = (finish_setup(directory, link or "", f"root-{n}", "a long enough password") for n, link in enumerate(links))
    made = await asyncio.gather(*work, return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in made) == 1
    assert len(await actions.list_users(directory, None, BOSS)) == 1


async def test_a_link_ends_after_a_day(directory, clock):
    secret = await begin_setup(directory)
    clock.advance(timedelta(hours=24))
    with pytest.raises(SignInRefused):
        await finish_setup(directory, secret or "", "root", "a long enough password")


async def test_a_link_is_not_spent_by_a_password_that_is_refused(directory):
    secret = await begin_setup(directory)
    with pytest.raises(BadInput):
        await finish_setup(directory, secret or "", "root", "short")
    assert (await finish_setup(directory, secret or "", "root", "a long enough password")).role is Role.ADMIN


@pytest.mark.parametrize("password", ["", "short", "x" * 1_001, "\ud800" * 20, 7])
async def test_a_password_that_is_not_usable_is_refused_and_not_repeated(directory, password):
    with pytest.raises(BadInput) as refused:
        await actions.create_user(directory, replace(ADA, password=password), BOSS)
    assert not password or str(password) not in str(refused.value)


@pytest.mark.parametrize("name", ["", " ada", "a\x00b", "\ud800", "x" * 201, "\u202e", "ﷺ" * 150, None])
async def test_an_odd_name_is_refused(directory, name):
    with pytest.raises(BadInput, match="is not a name"):
        await actions.create_user(directory, replace(ADA, name=name), BOSS)


def someone(tenant, role):
    return By(principal=Principal(actor="user:u", tenant=tenant, scopes=SCOPES_OF_ROLES[role], kind="user"))


async def test_nobody_makes_or_takes_over_a_user_who_may_do_more(directory, ada):
    clerk = By(principal=Principal(actor="key:k", tenant="acme", scopes=frozenset({Scope.USERS_WRITE}), kind="key"))
    for work in (
        actions.create_user(directory, replace(ADA, name="bob", role=Role.VIEWER), clerk),
        actions.set_password(directory, "acme", "ada", "mine from now on", clerk),
        actions.disable_user(directory, "acme", "ada", clerk),
    ):
        with pytest.raises(Forbidden):
            await work


async def test_users_of_another_tenant_are_missing(directory, ada):
    assert await actions.list_users(directory, "globex", BOSS) == []
    assert [one.name for one in await actions.list_users(directory, "acme", BOSS)] == ["ada"]
    for tenant in ("globex", None):
        with pytest.raises(UserNotFound, match="dibs users list"):
            await actions.disable_user(directory, tenant, "ada", BOSS)
    with pytest.raises(Forbidden):
        await actions.disable_user(directory, "acme", "ada", someone("globex", Role.ADMIN))


def test_each_role_can_do_what_the_one_below_it_can():
    assert SCOPES_OF_ROLES[Role.VIEWER] < SCOPES_OF_ROLES[Role.OPERATOR] < SCOPES_OF_ROLES[Role.ADMIN]
    assert SCOPES_OF_ROLES[Role.ADMIN] == frozenset(Scope)
    assert set(SCOPES_OF_ROLES) == set(Role)


def test_a_sign_in_does_not_show_itself():
    assert ADA.password not in repr(RIGHT)
    assert by_system("x").principal.kind == "system"
    assert AccessRules().session_idle < AccessRules().session_life
