"""Which tables there are, and whose rows are in them.

A service or an app declares its tables with `owned_table`, on the one `METADATA`, and hands `assembly` a `Section`: its
name and the folder of its migrations.
"""

from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import MetaData, Table

METADATA = MetaData(
    naming_convention={
        "ix": "%(table_name)s_%(column_0_N_name)s",
        "uq": "%(table_name)s_%(column_0_N_name)s_unique",
        "fk": "%(table_name)s_%(column_0_N_name)s_of_%(referred_table_name)s",
        "pk": "%(table_name)s_key",
    }
)
_OWNERSHIP = "dibs.ownership"
_ENCRYPTED = "dibs.encrypted"


class Ownership(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows of a table a transaction may touch: those whose `column` is its tenant.

    `shown_by`: a row is also read by whoever presents the value of that column, such as the hash of a key, before it is
    known whose it is. `is_listed`: the installation reads and writes all rows.
    """

    column: str = "tenant"
    shown_by: str | None = None
    is_listed: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What a service or an app adds to the store. Its migrations are a branch of their own, labelled by its name."""

    name: str
    migrations: Path


def owned_table(name: str, *parts: Any, ownership: Ownership | None = None, encrypted: tuple[str, ...] = ()) -> Table:
    """Declare a table whose rows belong to tenants. There are no others.

    The texts in the columns that are `encrypted` are kept so where the tenant has a key; no question can compare them.
    """
    return Table(name, METADATA, *parts, info={_OWNERSHIP: ownership or Ownership(), _ENCRYPTED: encrypted})


def find_encrypted(table: Any) -> tuple[str, ...]:
    """Name the columns of a table that are encrypted."""
    found: tuple[str, ...] = table.info.get(_ENCRYPTED, ())
    return found


def find_ownership(table: Table) -> Ownership | None:
    """Tell whose the rows of a table are; None for a table that was not declared here."""
    found: Ownership | None = table.info.get(_OWNERSHIP)
    return found
