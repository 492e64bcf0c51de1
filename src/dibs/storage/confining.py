"""Every statement is confined to what its transaction may see, whoever wrote it.

On PostgreSQL row-level security says the same once more; on SQLite this is the fence. So whatever cannot be confined,
such as SQL as text, is refused.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Delete, Select, Table, TextClause, Update, and_, bindparam, or_
from sqlalchemy.sql import visitors
from sqlalchemy.sql.dml import Insert
from sqlalchemy.sql.elements import ColumnClause
from sqlalchemy.sql.selectable import (
    CTE,
    Alias,
    FromClause,
    FromGrouping,
    Join,
    SelectBase,
    Subquery,
    TableClause,
    TextualSelect,
)

from dibs.errors import BadInput
from dibs.storage.registry import Ownership, find_ownership
from dibs.storage.sight import INSTALLATION, Sight

# What SQLAlchemy puts into a statement as it is: prefixes, suffixes, hints.
_TEXT_BESIDE = ("_prefixes", "_suffixes", "_statement_hints", "_hints")
MOST_FORMS = 2_000
_judged: dict[Any, list[Table] | None] = {}


def confine_reading(statement: Select[Any], sight: Sight) -> Any:
    """Give the same question, asked of the rows in sight."""
    tables = _judge(statement)
    if tables is not None:
        # Most are: without the copy that nested questions need, this takes a fifth of the time.
        return statement.where(*(one for table in tables for one in _criteria(table, sight)))
    return _confine_inside(statement, sight)


def confine_writing(statement: Update | Delete, sight: Sight) -> Any:
    """Give the same change, of the transaction's own rows only."""
    table, tables = _target(statement), _judge(statement)
    _refuse_moving(statement, table)
    confined = statement if tables is not None else _confine_inside(statement, sight)
    return confined.where(_is_own(table, _ownership(table), sight))


def fit_row(table: Table, row: dict[str, Any], sight: Sight) -> dict[str, Any]:
    """Put the tenant into a new row, or refuse one of somebody else."""
    ownership = _ownership(table)
    if ownership.is_listed and sight.tenant == INSTALLATION:
        return row
    if row.get(ownership.column, sight.tenant) != sight.tenant:
        message = f"a row of {table.name} for another tenant. Open a transaction of that tenant."
        raise BadInput(message)
    return {**row, ownership.column: sight.tenant}


def _confine_inside(statement: Any, sight: Sight) -> Any:
    def confine_join(join: Join) -> None:
        if join.full:
            raise BadInput("a full join cannot be confined to one tenant. Use an inner or a left join.")
        criteria = list(_criteria(join.right, sight))
        if criteria and join.onclause is not None:
            join.onclause = and_(join.onclause, *criteria)

    def confine_select(select: Select[Any]) -> None:
        leftmost = [_leftmost(source) for source in select.get_final_froms()]
        criteria = [one for source in leftmost for one in _criteria(source, sight)]
        # The traversal gives a copy that nobody else has: changing it in place is what its visitors are for.
        select._where_criteria += tuple(criteria)  # noqa: SLF001

    return visitors.cloned_traverse(statement, {}, {"join": confine_join, "select": confine_select})


def _judge(statement: Select[Any] | Update | Delete) -> list[Table] | None:
    """Refuse what cannot be confined; give the tables of what has no questions in it, else None.

    Statements differ in their values most of the time: each form is judged once, which takes longer than asking it.
    """
    key = statement._generate_cache_key()  # noqa: SLF001 - the same by which its own cache of forms goes
    if key is None:
        return _judge_form(statement)
    if key.key not in _judged:
        if len(_judged) >= MOST_FORMS:
            _judged.clear()
        _judged[key.key] = _judge_form(statement)
    return _judged[key.key]


def _judge_form(statement: Select[Any] | Update | Delete) -> list[Table] | None:
    _refuse_opaque(statement)
    if isinstance(statement, (Update, Delete)):
        _refuse_second_table(statement, _target(statement))
    return _find_plain_tables(statement)


def _find_plain_tables(statement: Select[Any] | Update | Delete) -> list[Table] | None:
    """Give the tables of a question that has neither joins, nor other questions, nor other names in it; else None."""
    found: dict[Table, None] = {}
    for element in visitors.iterate(statement):
        source = element.table if isinstance(element, ColumnClause) else element
        if isinstance(source, Table):
            found[source] = None
        elif source is not statement and isinstance(source, (FromClause, SelectBase)):
            return None
    return list(found)


def _leftmost(source: FromClause) -> FromClause:
    while isinstance(source, (Join, FromGrouping)):
        source = source.left if isinstance(source, Join) else source.element
    return source


def _criteria(source: FromClause, sight: Sight) -> Iterator[ColumnElement[bool]]:
    """Say which rows of a table, or of another name for one, are in sight; subqueries are confined inside.

    Of a join, only the leftmost table is meant: each other one is the right of a join, and confined there.
    """
    source = table = _leftmost(source)
    while isinstance(table, Alias):
        table = table.element
    if isinstance(table, Table):
        yield _is_seen(source, _ownership(table), sight)
    elif not isinstance(table, (Subquery, CTE)):
        message = f"{type(table).__name__} cannot be confined to one tenant. Use tables, subqueries and joins."
        raise BadInput(message)


def _is_seen(source: FromClause, ownership: Ownership, sight: Sight) -> ColumnElement[bool]:
    own = _is_own(source, ownership, sight)
    if ownership.shown_by is None or not sight.presented:
        return own
    return or_(own, source.c[ownership.shown_by] == bindparam("dibs_presented", sight.presented, unique=True))


def _is_own(source: FromClause, ownership: Ownership, sight: Sight) -> ColumnElement[bool]:
    tenant: BindParameter[str] = bindparam("dibs_tenant", sight.tenant, unique=True)
    own: ColumnElement[bool] = source.c[ownership.column] == tenant
    return or_(own, tenant == INSTALLATION) if ownership.is_listed else own


def _ownership(table: Table) -> Ownership:
    ownership = find_ownership(table)
    if ownership is None:
        message = f"nobody says whose the rows of {table.name} are. Declare it with owned_table."
        raise BadInput(message)
    return ownership


def _target(statement: Update | Delete) -> Table:
    if not isinstance(statement.table, Table):
        message = f"{statement.table} is no table. Change a table by its own name."
        raise BadInput(message)
    return statement.table


def _refuse_opaque(statement: Any) -> None:
    for element in visitors.iterate(statement):
        is_text = isinstance(element, (TextClause, TextualSelect))
        is_literal = isinstance(element, ColumnClause) and element.is_literal and element.name != "*"
        is_unknown = isinstance(element, TableClause) and not isinstance(element, Table)
        is_write_inside = isinstance(element, (Insert, Update, Delete)) and element is not statement
        has_text = any(getattr(element, name, None) for name in _TEXT_BESIDE)
        if is_text or is_literal or is_unknown or is_write_inside or has_text:
            message = f"a statement with {type(element).__name__} cannot be confined to one tenant. Build it of tables."
            raise BadInput(message)


def _refuse_second_table(statement: Update | Delete, table: Table) -> None:
    for element in _outside_questions(statement):
        if isinstance(element, ColumnClause) and element.table is not None and element.table is not table:
            message = f"a change of {table.name} that joins {element.table}. Ask with a subquery instead."
            raise BadInput(message)


def _outside_questions(element: Any) -> Iterator[Any]:
    if element is None or isinstance(element, SelectBase):
        return
    yield element
    for child in element.get_children():
        yield from _outside_questions(child)


def _refuse_moving(statement: Update | Delete, table: Table) -> None:
    owner = table.c[_ownership(table).column]
    # Nothing public tells which columns are set.
    values = getattr(statement, "_values", None) or {}
    if owner.name in values or owner in values.keys():  # noqa: SIM118 - by hash: columns compare as SQL
        message = f"a row of {table.name} cannot be given to another tenant."
        raise BadInput(message)
