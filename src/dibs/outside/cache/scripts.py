"""Statements and scripts, each in a file of its own, read when first used."""

from functools import cache
from importlib.resources import files


@cache
def read_script(package: str, name: str) -> str:
    """Give the text of a file beside the code that uses it: `read_script(__package__, "sql/find.sql")`."""
    return files(package).joinpath(*name.split("/")).read_text("utf-8").strip()
