"""Columns that are encrypted where they are kept: apps write and read them as if they were not.

A value opens in its own column of its own tenant, and nowhere else.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import RowMapping, Select, Table, Update

from dibs.kit.encrypted import Cipher, is_encrypted
from dibs.storage.registry import find_encrypted


def close_row(table: Table, row: dict[str, Any], cipher: Cipher, tenant: str) -> dict[str, Any]:
    """Encrypt what a new row has in such columns."""
    names = [name for name in find_encrypted(table) if row.get(name) is not None]
    if not names or not cipher.has_key(tenant):
        return row
    return row | {name: close_text(table, name, row[name], cipher, tenant) for name in names}


def close_change(change: Update, cipher: Cipher, tenant: str) -> Update:
    """Encrypt what a change puts into such columns."""
    table = change.table
    names = find_encrypted(table)
    if not names or not cipher.has_key(tenant):
        return change
    # SQLAlchemy keeps what is to be set as bound values, and has no public way to ask for them.
    bound: Mapping[Any, Any] = change._values or {}  # noqa: SLF001
    # Columns stand there as themselves or by name, and values as themselves or bound.
    given = {getattr(column, "name", column): getattr(one, "value", one) for column, one in bound.items()}
    texts = {name: given[name] for name in names if given.get(name) is not None}
    closed = {name: close_text(table, name, text, cipher, tenant) for name, text in texts.items()}
    return change.values(**closed) if closed else change


def open_rows(question: Select[Any], rows: Sequence[RowMapping], cipher: Cipher, tenant: str) -> Sequence[RowMapping]:
    """Decrypt what was read."""
    if not any(is_encrypted(value) for row in rows for value in row.values()):
        return rows
    places = {column.name: place_of(column.table, column.name) for column in question.selected_columns}
    return [cast("RowMapping", _open_row(row, places, cipher, tenant)) for row in rows]


def _open_row(row: Mapping[Any, Any], places: Mapping[str, str], cipher: Cipher, tenant: str) -> dict[str, Any]:
    return {
        name: cipher.decrypt(value, tenant, places[name]).decode() if is_encrypted(value) else value
        for name, value in row.items()
    }


def close_text(table: Any, column: str, text: str, cipher: Cipher, tenant: str) -> str:
    """Encrypt a text for a column."""
    return cipher.encrypt(text.encode(), tenant, place_of(table, column))


def place_of(table: Any, column: str) -> str:
    """Name the place that a text is bound to."""
    return f"{table.name}.{column}"
