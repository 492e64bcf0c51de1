"""Columns that are encrypted where they are kept: apps write and read them as if they were not.

A value opens in its own column of its own row of its own tenant, and nowhere else.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import BinaryExpression, BooleanClauseList, Column, ColumnElement, RowMapping, Select, Table, Update
from sqlalchemy.sql import operators, visitors

from dibs.errors import BadInput
from dibs.kit.encryption.encrypted import Cipher, is_encrypted, is_ours, spare, unspare
from dibs.storage.registry import find_encrypted, find_ownership

# What a row is known by is read along where a question leaves it out, under names that nobody else gives.
_ALONG = "dibs_row_"


def close_row(table: Table, row: dict[str, Any], cipher: Cipher, tenant: str) -> dict[str, Any]:
    """Encrypt what a new row has in such columns."""
    names = [name for name in find_encrypted(table) if row.get(name) is not None]
    return row | {name: close_text(table, name, row, cipher, tenant) for name in names} if names else row


def close_change(change: Update, cipher: Cipher, tenant: str) -> Update:
    """Encrypt what a change puts into such columns. It has to say by its key which row it means."""
    table = change.table
    names = find_encrypted(table)
    if not names:
        return change
    # SQLAlchemy keeps what is to be set as bound values, and has no public way to ask for them.
    bound: Mapping[Any, Any] = change._values or {}  # noqa: SLF001
    # Columns stand there as themselves or by name, and values as themselves or bound.
    given = {getattr(column, "name", column): getattr(one, "value", one) for column, one in bound.items()}
    texts = {name: given[name] for name in names if given.get(name) is not None}
    if not texts:
        return change
    row = texts | _find_key(change, cast("Table", table))
    return change.values(**{name: close_text(table, name, row, cipher, tenant) for name in texts})


def _find_key(change: Update, table: Table) -> dict[str, Any]:
    """Tell by what its condition says which row a change means."""
    said = dict(_say_equal(change._where_criteria))  # noqa: SLF001 - nothing public tells the conditions apart
    key = {name: said[name] for name in _name_key(table) if name in said}
    if len(key) != len(_name_key(table)):
        missing = ", ".join(name for name in _name_key(table) if name not in key)
        message = f"a change of an encrypted column of {table.name} that does not name its row. Ask for {missing}"
        raise BadInput(f"{message} by ==: what is encrypted is bound to its row.")
    return key


def _say_equal(criteria: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for one in criteria:
        if isinstance(one, BooleanClauseList) and one.operator is operators.and_:
            yield from _say_equal(list(one.clauses))
        elif isinstance(one, BinaryExpression) and one.operator is operators.eq and isinstance(one.left, Column):
            yield one.left.name, getattr(one.right, "value", None)


class Opening:
    """A question whose answer has something encrypted in it, and how to open that."""

    def __init__(self, question: Select[Any]) -> None:
        self._columns = {one.name: one for one in _find_closed(question)}
        tables = {column.table: None for column in self._columns.values()}
        along = [table.c[name].label(_along(table, name)) for table in tables for name in _name_key(table)]
        self.question = question.add_columns(*along) if along else question

    def open(self, rows: Sequence[RowMapping], cipher: Cipher, tenant: str) -> Sequence[RowMapping]:
        """Decrypt what was read."""
        if not self._columns:
            return rows
        return [cast("RowMapping", self._open_row(row, cipher, tenant)) for row in rows]

    def _open_row(self, row: Mapping[Any, Any], cipher: Cipher, tenant: str) -> dict[str, Any]:
        opened = {name: value for name, value in row.items() if not name.startswith(_ALONG)}
        for name, column in self._columns.items():
            if is_ours(row[name]):
                table = column.table
                key = {one: row[_along(table, one)] for one in _name_key(table)}
                opened[name] = open_text(row[name], cipher, tenant, place_of(table, column.name, key))
        return opened


def _find_closed(question: Select[Any]) -> Iterator[Any]:
    """Give the columns of a question that are declared encrypted, and refuse what cannot be opened afterwards."""
    for column in question.selected_columns:
        if isinstance(column, Column) and isinstance(column.table, Table):
            if column.name in find_encrypted(column.table):
                yield column
        elif any(map(_is_closed, visitors.iterate(column))):
            message = f"{column} is encrypted, and asked for under another name or as a part of something."
            raise BadInput(f"{message} Ask for the column of the table itself.")


def _is_closed(part: Any) -> bool:
    columns = part.base_columns if isinstance(part, ColumnElement) else ()
    return any(one.name in find_encrypted(one.table) for one in columns if isinstance(one, Column))


def _along(table: Any, name: str) -> str:
    return f"{_ALONG}{table.name}_{name}"


def _name_key(table: Any) -> tuple[str, ...]:
    """Name what tells the rows of one tenant apart."""
    ownership = find_ownership(table)
    owner = "" if ownership is None else ownership.column
    return tuple(column.name for column in table.primary_key.columns if column.name != owner)


def close_text(table: Any, column: str, row: Mapping[Any, Any], cipher: Cipher, tenant: str) -> str:
    """Encrypt the text that a row has in a column; without a key it stays plain."""
    text: str = row[column]
    return (
        cipher.encrypt(text.encode(), tenant, *place_of(table, column, row)) if cipher.has_key(tenant) else spare(text)
    )


def open_text(text: str, cipher: Cipher, tenant: str, place: Sequence[str]) -> str:
    """Give the text as it was before it was kept."""
    return cipher.decrypt(text, tenant, *place).decode() if is_encrypted(text) else unspare(text)


def place_of(table: Any, column: str, row: Mapping[Any, Any]) -> tuple[str, ...]:
    """Name the place that a text is bound to."""
    return (f"{table.name}.{column}", *(str(row[name]) for name in _name_key(table)))
