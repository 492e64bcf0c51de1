"""Layouts as stores have them that were made long ago. Never change these with the code: they are the past.

Each file holds the scripts of that time, without their remarks, below lines that name them (`-- 0001/tables/…`). `3` is
the first layout of version 3, `5_first` the first of version 5, `5_middle` the last but one.
"""

import gzip
import re
from importlib.resources import files
from typing import Any

NAMES = ("3", "5_first", "5_middle")


def scripts_of(name: str, version: int) -> str:
    """Give the scripts of one step of a layout."""
    text = gzip.decompress(files(__package__).joinpath(f"{name}.sql.gz").read_bytes()).decode()
    sections = re.split(r"^-- (?=\d{4}/)", text, flags=re.MULTILINE)
    return "\n".join("-- " + section for section in sections if section.startswith(f"{version:04d}/"))


async def lay(sql: Any, schema: str, name: str, *, up_to: int | None = None) -> None:
    """Make a store with an old layout, or with its first steps, as the code of that time did."""
    async with sql.transaction():
        await sql.execute(f"CREATE SCHEMA {schema}; SET LOCAL check_function_bodies = off")
        for version in range(1, (up_to or int(name[0])) + 1):
            await sql.execute(scripts_of(name, version).replace("{schema}", f'"{schema}"'))
            await sql.execute(f"INSERT INTO {schema}.schema_version (version, oldest_code) VALUES ({version}, 1)")
