"""Whatever statement is written, it sees and changes the rows of one tenant."""

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text, delete, exists, func, literal_column, select, table, text
from sqlalchemy import update as change
from sqlalchemy.exc import DBAPIError

from dibs.access.tables import ACTS, KEYS, TENANTS, USERS
from dibs.errors import BadInput, DibsError, StoreError
from dibs.kit.clock import utc_now
from dibs.storage.roles import TablesRole
from dibs.storage.sight import Sight, sight_of
from dibs.storage.tables import Tables

MINE, OTHERS = "mine", "others"


def make_user(name):
    return {"id": name, "name": name, "role": "viewer", "password_hash": "-", "created_at": utc_now()}


def make_key(name):
    facts = dict.fromkeys(("name", "hint", "created_by"), "-")
    return {"id": name, "digest": f"digest of {name}", "scopes": ("jobs:read",), "created_at": utc_now(), **facts}


@pytest.fixture
async def tables(url):
    async with Tables.at(url) as opened:
        for tenant in (MINE, OTHERS):
            async with opened.writing(sight_of(tenant)) as transaction:
                await transaction.add(TENANTS, name=tenant, created_at=transaction.now)
                for name in ("a", "b"):
                    await transaction.add(USERS, **make_user(f"{tenant}-{name}"))
                    await transaction.add(KEYS, **make_key(f"{tenant}-{name}"))
        yield opened


OTHER_USERS = USERS.alias("other_users")
INNER = select(USERS.c.id).where(USERS.c.id == OTHER_USERS.c.id)
INSIDE = select(USERS).subquery("inside")
LATERAL = select(USERS.c.tenant).limit(9).lateral("beside")
BEGINNING = select(KEYS.c.id, KEYS.c.tenant).cte("recursion", recursive=True)
RECURSION = BEGINNING.union(select(USERS.c.id, USERS.c.tenant).join(BEGINNING, BEGINNING.c.id != USERS.c.id))
QUESTIONS = {
    "a plain one": select(USERS.c.tenant),
    "by another tenant's id": select(USERS.c.tenant).where(USERS.c.id == "others-a"),
    "by another tenant's name": select(USERS.c.tenant).where(USERS.c.tenant == OTHERS),
    "with an or": select(USERS.c.tenant).where((USERS.c.id == "x") | (USERS.c.id != "x")),
    "of another name for the table": select(OTHER_USERS.c.tenant),
    "a product": select(OTHER_USERS.c.tenant).where(USERS.c.id != OTHER_USERS.c.id),
    "a join": select(KEYS.c.tenant).select_from(USERS.join(KEYS, KEYS.c.id != USERS.c.id)),
    "a left join": select(func.coalesce(KEYS.c.tenant, MINE)).select_from(
        USERS.outerjoin(KEYS, KEYS.c.tenant != USERS.c.tenant)
    ),
    "a join of joins": select(OTHER_USERS.c.tenant).select_from(
        KEYS.join(USERS.join(OTHER_USERS, USERS.c.id != OTHER_USERS.c.id), USERS.c.id != KEYS.c.id)
    ),
    "a nested join's left side": select(USERS.c.tenant).select_from(
        KEYS.join(USERS.join(OTHER_USERS, USERS.c.id != OTHER_USERS.c.id), USERS.c.id != KEYS.c.id)
    ),
    "a subquery": select(select(USERS.c.tenant).subquery().c.tenant),
    "a subquery in a join": select(INSIDE.c.tenant).select_from(KEYS.join(INSIDE, INSIDE.c.id != KEYS.c.id)),
    "an alias of an alias": select(USERS.alias("x").alias("y").c.tenant),
    "a scalar": select(select(func.max(USERS.c.tenant)).scalar_subquery()),
    "a common table expression": select(select(USERS.c.tenant).cte("c").c.tenant),
    "a union": select(select(USERS.c.tenant).union_all(select(KEYS.c.tenant)).subquery().c.tenant),
    "a recursion": select(RECURSION.c.tenant),
    "in an order": select(select(func.max(KEYS.c.tenant)).scalar_subquery()).order_by(
        select(func.max(KEYS.c.tenant)).scalar_subquery()
    ),
    "the tenants": select(TENANTS.c.name),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
async def test_a_question_is_answered_from_the_rows_of_one_tenant(tables, question):
    async with tables.reading(sight_of(MINE)) as transaction:
        seen = {value for row in await transaction.fetch(question) for value in row.values()}
    assert seen <= {MINE}


async def test_a_subquery_in_a_condition_sees_no_more(tables):
    others = exists().where((OTHER_USERS.c.id == "others-a") & (OTHER_USERS.c.id != USERS.c.id))
    async with tables.reading(sight_of(MINE)) as transaction:
        assert await transaction.fetch(select(USERS.c.id).where(others)) == []
        assert len(await transaction.fetch(select(OTHER_USERS.c.id).where(INNER.exists()))) == 2


async def test_a_count_counts_the_tenants_own(tables):
    async with tables.reading(sight_of(MINE)) as transaction:
        row = await transaction.find(select(func.count()).select_from(USERS))
    assert row is not None
    assert row["count_1"] == 2


async def test_a_change_changes_the_tenants_own_rows_only(tables):
    async with tables.writing(sight_of(MINE)) as transaction:
        assert await transaction.change(change(USERS).values(role="admin")) == 2
        assert await transaction.change(delete(KEYS)) == 2
        assert await transaction.change(delete(USERS).where(USERS.c.id == "others-a")) == 0
    async with tables.reading(sight_of(OTHERS)) as transaction:
        assert [row["role"] for row in await transaction.fetch(select(USERS.c.role))] == ["viewer"] * 2
        assert len(await transaction.fetch(select(KEYS.c.id))) == 2


PARTIAL = table("access_users")
FOREIGN = Table("access_users", MetaData(), Column("id", Text), Column("tenant", Text), Column("n", Integer))
REFUSED = {
    "text": select(text("1 FROM access_users")),
    "a literal column": select(literal_column("(SELECT max(tenant) FROM access_users)")),
    "text among tables": select(USERS.c.id).where(text("1 = 1")),
    "a table by name": select(func.count()).select_from(PARTIAL),
    "a table that nobody declared": select(FOREIGN.c.id),
    "a prefix": select(USERS.c.id).prefix_with("max(tenant),"),
    "a suffix": select(USERS.c.id).suffix_with("UNION SELECT tenant FROM access_users"),
    "a hint": select(USERS.c.id).with_statement_hint("UNION SELECT tenant FROM access_users"),
    "a prefix inside": select(USERS.c.id).where(USERS.c.id.in_(select(KEYS.c.id).prefix_with("tenant ||"))),
    "a full join": select(USERS.c.id).select_from(USERS.join(KEYS, KEYS.c.id == USERS.c.id, full=True)),
    "a lateral subquery": select(LATERAL.c.tenant),
    "a sample": select(func.count()).select_from(USERS.tablesample(100)),
    "a write in a question": select(change(USERS).values(role="x").returning(USERS.c.id).cte("w").c.id),
}


@pytest.mark.parametrize("question", REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_confined_is_refused(tables, question):
    with pytest.raises(BadInput):
        async with tables.reading(sight_of(MINE)) as transaction:
            await transaction.fetch(question)


CHANGES = {
    "to another tenant": change(USERS).values(tenant=OTHERS),
    "to another tenant by an expression": change(USERS).values(tenant=USERS.c.name),
    "to another tenant by a column": change(USERS).values({USERS.c.tenant: OTHERS}),
    "by another table": change(USERS).where(USERS.c.id == KEYS.c.id).values(role="x"),
    "with values of another table": change(USERS).values(role=KEYS.c.tenant),
    "in another order": change(USERS).ordered_values((USERS.c.role, "x"), (USERS.c.tenant, OTHERS)),
    "by text": delete(USERS).where(text("1 = 1")),
}


async def test_a_change_by_a_subquery_takes_values_of_the_tenants_own_rows(tables):
    greatest = select(func.max(KEYS.c.tenant)).scalar_subquery()
    async with tables.writing(sight_of(MINE)) as transaction:
        await transaction.change(change(USERS).values(role=greatest))
        assert {row["role"] for row in await transaction.fetch(select(USERS.c.role))} == {MINE}


@pytest.mark.parametrize("wanted", CHANGES.values(), ids=CHANGES)
async def test_a_change_that_reaches_further_is_refused(tables, wanted):
    with pytest.raises(BadInput):
        async with tables.writing(sight_of(MINE)) as transaction:
            await transaction.change(wanted)


async def test_a_row_for_another_tenant_is_refused(tables):
    with pytest.raises(BadInput, match="another tenant"):
        async with tables.writing(sight_of(MINE)) as transaction:
            await transaction.add(USERS, tenant=OTHERS, **make_user("intruder"))


async def test_what_is_presented_is_read_and_not_changed(tables):
    async with tables.writing(sight_of(MINE, presented="others-a")) as transaction:
        assert {row["id"] for row in await transaction.fetch(select(USERS.c.id))} == {"mine-a", "mine-b", "others-a"}
        assert await transaction.change(change(USERS).where(USERS.c.id == "others-a").values(role="admin")) == 0
        assert len(await transaction.fetch(select(KEYS.c.id))) == 2


async def test_the_installation_lists_tenants_and_sees_none_of_their_rows(tables):
    async with tables.reading(sight_of(None)) as transaction:
        assert [row["name"] for row in await transaction.fetch(select(TENANTS.c.name))] == [MINE, OTHERS]
        assert await transaction.fetch(select(USERS.c.id)) == []


@pytest.mark.parametrize("tenant", ["", "x" * 201, "a\x00b", "a\nb", "\ud800"])
def test_a_sight_of_no_name_is_refused(tenant):
    with pytest.raises(BadInput):
        Sight(tenant=tenant)


async def test_a_reader_cannot_write(server_url):
    async with Tables.at(server_url) as opened:
        with pytest.raises(StoreError, match="read-only"):
            async with opened.reading(sight_of(MINE)) as transaction:
                await transaction.add(TENANTS, name=MINE, created_at=transaction.now)


@pytest.mark.parametrize("role", TablesRole)
async def test_the_database_itself_shows_no_row_of_another_tenant(server_url, role):
    async with Tables.at(server_url) as opened, opened.writing(sight_of(OTHERS)) as transaction:
        await transaction.add(TENANTS, name=OTHERS, created_at=transaction.now)
    async with Tables.at(server_url, role=role) as opened, opened.writing(sight_of(MINE)) as transaction:
        execute = transaction._connection.exec_driver_sql
        assert (await execute("SELECT name FROM access_tenants")).all() == []
        await execute("SET LOCAL dibs.tenant TO ''")
        assert (await execute("SELECT name FROM access_tenants")).all() == []


async def test_the_database_itself_refuses_a_row_of_another_tenant(server_url):
    async with Tables.at(server_url) as opened:
        with pytest.raises((DibsError, DBAPIError), match="row-level security"):
            async with opened.writing(sight_of(MINE)) as transaction:
                statement = "INSERT INTO access_tenants VALUES ('others', now())"
                await transaction._connection.exec_driver_sql(statement)


async def test_a_worker_reads_no_keys(server_url):
    async with Tables.at(server_url, role=TablesRole.WORKER) as opened:
        for protected in (KEYS, USERS, ACTS):
            with pytest.raises(StoreError, match="permission denied"):
                async with opened.reading(sight_of(MINE)) as transaction:
                    await transaction.fetch(select(protected))
