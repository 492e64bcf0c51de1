"""Opening the store that a command was pointed at."""

import asyncio
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from dibs.assembly import MISSING, OR_IN_CODE, connect_backend, open_backend
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput, SchemaMismatch
from dibs.settings import Settings

# Where `dibs up` keeps its store, unless it is told otherwise.
DATA_FOLDER, DEMO_FOLDER, DATABASE = Path("dibs-data"), Path("dibs-demo"), "dibs.db"
MIGRATE = "Run dibs db migrate"
Answer = TypeVar("Answer")
Work = Callable[[Backend], Awaitable[Answer]]


def on_store(url: str | None, work: Work[Answer]) -> Answer:
    """Do something with a store whose schema fits. Nothing is ever installed on the way."""

    async def do() -> Answer:
        async with await open_backend(url, migrate=False) as backend:
            refuse_private(backend)
            return await work(backend)

    with naming_store(url):
        return asyncio.run(do())


def on_any_schema(url: str | None, work: Work[Answer]) -> Answer:
    """Do something with a store, whatever its schema."""

    async def do() -> Answer:
        async with await connect_backend(url) as backend:
            return await work(backend)

    return asyncio.run(do())


@contextmanager
def naming_store(url: str | None) -> Iterator[None]:
    """Say which store has a schema that does not fit: a forgotten --url is the usual reason."""
    try:
        yield
    except SchemaMismatch as error:
        said = f"{show_url(url)}: {error}".replace(OR_IN_CODE, "").replace(MIGRATE, f"{MIGRATE}{name_again(url)}")
        raise SchemaMismatch(said + _point_elsewhere(url, error)) from error


def name_again(url: str | None) -> str:
    """Without it, who named a store would migrate another one."""
    if url is None or url == Settings.from_env().url:
        return ""
    return f" --url {shlex.quote(url) if url == show_url(url) else 'URL'}"


def _point_elsewhere(url: str | None, error: SchemaMismatch) -> str:
    """Tell those who named no store, and have one, how to name it."""
    if url or os.environ.get("DIBS_URL") or os.environ.get("DIBS_DATA"):
        return ""
    made = next((folder for folder in (DATA_FOLDER, DEMO_FOLDER) if (folder / DATABASE).is_file()), None)
    if made is not None:
        return f" Or do you mean what `dibs up` has made here? That is found with DIBS_DATA={made}."
    return " Or are your jobs elsewhere? Say where, with --url or DIBS_URL." if MISSING in str(error) else ""


def show_url(url: str | None) -> str:
    """Write the URL of the store without its password."""
    return re.sub(r"://([^:/@]*):.*@", r"://\1:…@", url or Settings.from_env().url)


def refuse_private(backend: Backend) -> None:
    """Refuse a store that only the process which made it can see."""
    if not backend.capabilities.shared:
        message = (
            "this store lives in the memory of one process, and another process cannot look into it."
            " Name a shared one with --url or DIBS_URL."
        )
        raise BadInput(message)
