"""`dibs db`: the schema of the store of jobs, and the tables of services and apps."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dibs.assembly import explain_schema, find_tables_schema, has_tables
from dibs.cli.commands.retention import retention
from dibs.cli.exits import Exit
from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_schema, shape_tables
from dibs.cli.stores import on_any_schema, on_store
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import SchemaState
from dibs.errors import NotSupported, StoreAccessDenied
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.storage.migrating import TablesState

app = typer.Typer(help="Install, upgrade and check the schema of the store.", no_args_is_help=False)
app.command("retention")(retention)


@app.command("migrate")
def migrate(url: Url = None, *, as_json: AsJson = False) -> int:
    """Install the schema, or bring it up to date.

    Safe while workers run, and when many do it at once.
    """

    async def work(backend: Backend) -> tuple[list[int], SchemaState]:
        return await backend.schema.migrate(), await backend.schema.state()

    applied, state = on_any_schema(url, work)
    tables = _migrate_tables(url) if state.is_usable else None
    if as_json:
        output.show_json({**shape_schema(state, applied), "tables": tables})
    elif state.is_usable:
        done = f"applied {', '.join(map(str, applied))}" if applied else "nothing to do"
        output.show_line(f"{done}: the schema is at version {state.found}")
        if tables is not None:
            names = ", ".join(tables["applied"])
            output.show_line(f"tables: applied {names}" if names else "tables: nothing to do")
    return _judge(state)


def _migrate_tables(url: str | None) -> dict[str, Any] | None:
    """Bring the tables of services and apps up to date; None where there are none."""
    if not has_tables(url):
        return None
    schema = find_tables_schema(url)

    async def work() -> dict[str, Any]:
        applied = await schema.migrate()
        return {**shape_tables(await schema.state()), "applied": applied}

    return asyncio.run(work())


@app.command("check")
def check(url: Url = None, *, as_json: AsJson = False) -> int:
    """Tell whether the schema fits this Dibs.

    Nothing is changed.
    """
    state = on_any_schema(url, lambda backend: backend.schema.state())
    tables = asyncio.run(find_tables_schema(url).state()) if has_tables(url) else None
    if as_json:
        output.show_json({**shape_schema(state), "tables": None if tables is None else shape_tables(tables)})
    elif state.is_usable:
        output.show_line(f"the schema is at version {state.found}, and fits")
    if tables is not None and not tables.is_usable and state.is_usable:
        return _judge_tables(url, tables)
    return _judge(state)


@app.command("grant")
def grant(role: Annotated[str, typer.Argument(help="A role of the server, which must exist.")], url: Url = None) -> int:
    """Let a role of a PostgreSQL server store and work jobs.

    Run it as the owner of the schema, and again after each upgrade. The role can neither install the schema nor change
    or delete what the audit log says; it can use the response cache beside the jobs.
    """
    on_store(url, lambda backend: _grant(backend, role))
    output.show_line(f"{role} can work with the store")
    _grant_cache(role, url)
    return Exit.DONE


def _grant_cache(role: str, url: str | None) -> None:
    """Let it use the response cache, too. Without one all goes on, but pages are fetched each time."""
    # Here, and not above: the command line must start quickly, and without the extras.
    from dibs.outside.cache import grant_cache

    try:
        asyncio.run(grant_cache(Settings.from_env(), url, role))
    except StoreAccessDenied as refused:
        output.tell(f"dibs: {refused}")


async def _grant(backend: Backend, role: str) -> None:
    if backend.roles is None:
        message = "this store knows no roles. Only PostgreSQL does: name such a store with --url or DIBS_URL."
        raise NotSupported(message)
    await backend.roles.grant(role)


def _judge_tables(url: str | None, tables: "TablesState") -> int:
    from dibs.storage.migrating import explain_tables

    if not tables.found:
        # A worker of one's own tasks needs none of them, and makes none.
        output.tell(
            "dibs: the tables of accounts, services and apps are not there yet. Workers do not need them; "
            "dibs db migrate makes them, and so do dibs up and dibs server."
        )
        return Exit.DONE
    output.tell(f"dibs: {explain_tables(tables, find_tables_schema(url).shown)}")
    return Exit.SCHEMA_MISMATCH


def _judge(state: SchemaState) -> int:
    if state.is_usable:
        return Exit.DONE
    output.tell(f"dibs: {explain_schema(state)}")
    return Exit.SCHEMA_MISMATCH
