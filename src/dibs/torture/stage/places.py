"""A place of our own in somebody's store: a file, a schema, a namespace. Nothing outside of it is ever touched."""

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

import msgspec

from dibs.engine.store.backend import Backend
from dibs.errors import BadInput
from dibs.storage.roles import TablesRole

# Times on the stage are short, and so is the patience of those who play on it.
POSTGRES_OPTIONS = {"command_timeout": "4", "connect_timeout": "2", "application_name": "dibs-torture"}
REDIS_OPTIONS = {"timeout": "4", "connect_timeout": "2"}
TABLE = "torture_effects"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where jobs are played with. `book` is the table of effects, where there are transactions."""

    kind: str
    url: str
    book: str = ""

    @property
    def address(self) -> tuple[str, int] | None:
        """Where a wire could be put in between; None where there is none."""
        parts = urlsplit(self.url)
        ports = {"postgresql": 5432, "postgres": 5432, "redis": 6379}
        if parts.scheme not in ports or not parts.hostname:
            return None
        return parts.hostname, parts.port or ports[parts.scheme]

    @property
    def file(self) -> Path | None:
        """The database file, where the store is one."""
        return Path(unquote(urlsplit(self.url).path)[1:]) if self.kind == "sqlite" else None

    def through(self, host: str, port: int, **options: str) -> str:
        """The same place by another way, with other options."""
        if self.address is None:
            return self.url
        parts = urlsplit(self.url)
        login = parts.netloc.rpartition("@")
        query = dict(parse_qsl(parts.query)) | options
        netloc = f"{login[0]}{login[1]}{host}:{port}"
        return urlunsplit(parts._replace(netloc=netloc, query=urlencode(query)))

    def add_options(self, **options: str) -> str:
        """The same place by the same way, with other options."""
        if self.address is None:
            return self.url
        host, port = self.address
        return self.through(host, port, **options)

    async def prepare(self, backend: Backend) -> None:
        """Make the table of effects."""
        if self.book and backend.transactions is not None:
            async with backend.transactions.begin() as connection:
                await connection.execute(f"CREATE TABLE IF NOT EXISTS {self.book} (job_id text, token bigint)")

    async def read_booked(self, backend: Backend) -> list[tuple[str, int]]:
        """Read what handlers did in their jobs' transactions."""
        if not self.book or backend.transactions is None:
            return []
        async with backend.transactions.begin() as connection:
            question = f"SELECT job_id, token FROM {self.book} ORDER BY token"
            fetch = getattr(connection, "fetch", connection.execute)
            return [(row[0], row[1]) for row in await fetch(question)]

    async def remove(self, backend: Backend) -> None:
        """Leave nothing behind."""
        if self.kind == "postgresql" and backend.transactions is not None:
            async with backend.transactions.begin() as connection:
                await _drop_family(connection, self.book.rpartition(".")[0])
        elif self.kind == "redis":
            await _remove_namespace(self.url)

    def remove_files(self) -> None:
        """Delete what is left of a file after everybody has let go of it."""
        if self.file is not None:
            for path in self.file.parent.glob(f"{self.file.name}*"):
                path.unlink(missing_ok=True)


def make_place(url: str, label: str) -> Place:
    """Find a place in the store that `url` names."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme == "sqlite":
        path = Path(unquote(parts.path)[1:]).resolve()
        own = path.with_name(f"{path.stem}.torture-{label}{path.suffix or '.db'}")
        question = f"?{parts.query}" if parts.query else ""
        return Place(kind="sqlite", url=f"sqlite:///{quote(str(own))}{question}", book=TABLE)
    if parts.scheme in ("postgresql", "postgres"):
        schema = f"dibs_torture_{label.replace('-', '_')}"
        own_url = _with_query(parts, POSTGRES_OPTIONS | query | {"schema": schema})
        return Place(kind="postgresql", url=own_url, book=f"{schema}.{TABLE}")
    if parts.scheme.startswith("redis"):
        own_url = _with_query(parts, REDIS_OPTIONS | query | {"namespace": f"torture-{label}"})
        return Place(kind="redis", url=own_url)
    message = f"{parts.scheme or url[:20]!r} cannot be tortured: only a store that processes share. Use sqlite:///, "
    raise BadInput(f"{message}postgresql:// or redis://.")


def _with_query(parts: SplitResult, query: dict[str, str]) -> str:
    # Not urlunsplit: without a host, as for a socket in a folder, it leaves the slashes out that a store asks for.
    return f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(query)}"


async def _drop_family(connection: Any, family: str) -> None:
    """Drop the schemas of jobs and tables, and the roles: they belong to the whole server, and outlive their schema."""
    for schema in (f"{family}_tables", family):
        await connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    names = [role.named(family) for role in TablesRole]
    # Asked first: who may make no roles is refused even where there is none to drop.
    for row in await connection.fetch("SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ANY($1)", names):
        await connection.execute(f'DROP ROLE "{row[0]}"')


async def _remove_namespace(url: str) -> None:
    # Here and not above: the driver is an extra.
    from dibs.backends.redis.wire.address import parse_address  # noqa: PLC0415
    from dibs.backends.redis.wire.connections import Lines  # noqa: PLC0415

    lines = Lines(parse_address(url))
    cursor: Any = "0"
    try:
        while True:
            cursor, names = await lines.ask("SCAN", cursor, "MATCH", f"{lines.address.tag}:*", "COUNT", 1000)
            for name in names:
                await lines.ask("DEL", name, is_write=True)
            if int(cursor) == 0:
                return
    finally:
        await lines.close()
