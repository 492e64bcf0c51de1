"""Writing encrypted columns anew, as they would be written today."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Table, select, update

from dibs.errors import Undecipherable
from dibs.kit.encryption.renewed import Tally
from dibs.storage.encryption.encrypting import close_text, open_text, place_of
from dibs.storage.registry import METADATA, find_encrypted
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction

PAGE = 200
Row = Mapping[Any, Any]


class TablesRenewal:
    """Goes through all tables that have encrypted columns, tenant by tenant."""

    name = "tables"

    def __init__(self, tables: Tables, list_tenants: Callable[[], Awaitable[Iterable[str]]]) -> None:
        self._tables = tables
        self._list_tenants = list_tenants

    async def renew(self, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Look at every such value once."""
        tally = Tally()
        for name in [tenant] if tenant is not None else await self._list_tenants():
            for table in METADATA.sorted_tables:
                if find_encrypted(table):
                    await self._renew_table(table, name, tally, is_dry=is_dry)
        return tally

    async def _renew_table(self, table: Table, tenant: str, tally: Tally, *, is_dry: bool) -> None:
        keys = list(table.primary_key.columns)
        offset, count = 0, PAGE
        while count == PAGE:
            question = select(table).order_by(*keys).limit(PAGE).offset(offset)
            async with self._tables.writing(sight_of(tenant)) as transaction:
                rows = await transaction.fetch_kept(question)
                for row in rows:
                    await self._renew_row(transaction, table, row, tally, is_dry=is_dry)
            count = len(rows)
            offset += count

    async def _renew_row(self, transaction: Transaction, table: Table, row: Row, tally: Tally, *, is_dry: bool) -> None:
        tenant, values = transaction.sight.tenant, {}
        for name in find_encrypted(table):
            text = row[name]
            if text is None or self._tables.cipher.is_current(text, tenant):
                tally.current += text is not None
                continue
            try:
                values[name] = self._rewrite(table, name, row, tenant)
            except Undecipherable:
                column, *key = place_of(table, name, row)
                tally.refuse(f"{column} of {key}")
        if values and (is_dry or await _put(transaction, table, row, values)):
            tally.renewed += len(values)

    def _rewrite(self, table: Table, name: str, row: Row, tenant: str) -> str:
        cipher = self._tables.cipher
        plain = open_text(row[name], cipher, tenant, place_of(table, name, row))
        return close_text(table, name, {**row, name: plain}, cipher, tenant)


async def _put(transaction: Transaction, table: Table, row: Row, values: Mapping[str, str]) -> bool:
    """Write them where the old ones still stand."""
    change = update(table).where(*(key == row[key.name] for key in table.primary_key.columns))
    still = change.where(*(table.c[name] == row[name] for name in values))
    return await transaction.change_kept(still.values(**values)) == 1
