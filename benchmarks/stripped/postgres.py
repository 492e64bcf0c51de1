"""PostgreSQL without admission: the functions of the first schema, which knew none, over the tables of now."""

from contextlib import AbstractContextManager, nullcontext
from importlib.resources import files
from urllib.parse import parse_qs, urlsplit

import asyncpg

FUNCTIONS = ("claiming/claim_jobs", "claiming/promote_jobs", "claiming/take_jobs", "ending/complete_jobs")
# The only difference of its face: jobs say what they may cost at most.
_STORE_FACE = ("told_queues text[],\n    OUT", "told_queues text[], max_costs bigint[],\n    OUT")


def _read(name: str, schema: str) -> str:
    text = (files("dibs.backends.postgres") / "sql/migrations/0001" / f"{name}.sql").read_text("utf-8")
    return text.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace("{schema}", schema)


async def prepare(url: str) -> None:
    """Put the functions in place; the schema is not used for anything else afterwards."""
    schema = parse_qs(urlsplit(url).query)["schema"][0]
    connection = await asyncpg.connect(url.partition("?")[0])
    try:
        for name in FUNCTIONS:
            await connection.execute(_read(name, schema))
        store = _read("storing/store_jobs", schema)
        assert _STORE_FACE[0] in store
        await connection.execute(store.replace(*_STORE_FACE))
    finally:
        await connection.close()


def strip() -> AbstractContextManager[None]:
    """All was done before."""
    return nullcontext()
