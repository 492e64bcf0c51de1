"""Tables for spreadsheets, in which no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
from starlette.responses import Response

# A spreadsheet runs what begins like this (OWASP: CSV injection); an apostrophe makes it text.
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - wide forms count too


def csv_answer(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Response:
    """Answer with a table as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(write_csv(columns, rows), headers=headers, media_type="text/csv; charset=utf-8")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a table."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([escape_cell(value) for value in row] for row in rows)
    return text.getvalue()


def escape_cell(value: Any) -> str:
    """Write one value so that a spreadsheet takes it for what it is."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float | Decimal):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"'{text}" if text.startswith(_DANGEROUS) else text
