"""`dibs db`: the schema of the store."""

from typing import Annotated

import typer

from dibs.assembly import OR_IN_CODE, explain_schema
from dibs.cli.commands.retention import retention
from dibs.cli.exits import Exit
from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output
from dibs.cli.printing.shapes import shape_schema
from dibs.cli.stores import on_any_schema, on_store
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import SchemaState
from dibs.errors import NotSupported

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
    if as_json:
        output.show_json(shape_schema(state, applied))
    elif state.is_usable:
        done = f"applied {', '.join(map(str, applied))}" if applied else "nothing to do"
        output.show_line(f"{done}: the schema is at version {state.found}")
    return _judge(state)


@app.command("check")
def check(url: Url = None, *, as_json: AsJson = False) -> int:
    """Tell whether the schema fits this Dibs.

    Nothing is changed.
    """
    state = on_any_schema(url, lambda backend: backend.schema.state())
    if as_json:
        output.show_json(shape_schema(state))
    elif state.is_usable:
        output.show_line(f"the schema is at version {state.found}, and fits")
    return _judge(state)


@app.command("grant")
def grant(role: Annotated[str, typer.Argument(help="A role of the server, which must exist.")], url: Url = None) -> int:
    """Let a role of a PostgreSQL server store and work jobs.

    Run it as the owner of the schema, and again after each upgrade. The role can neither install the schema nor change
    or delete what the audit log says.
    """
    on_store(url, lambda backend: _grant(backend, role))
    output.show_line(f"{role} can work with the store")
    return Exit.DONE


async def _grant(backend: Backend, role: str) -> None:
    if backend.roles is None:
        message = "this store knows no roles. Only PostgreSQL does: name such a store with --url or DIBS_URL."
        raise NotSupported(message)
    await backend.roles.grant(role)


def _judge(state: SchemaState) -> int:
    if state.is_usable:
        return Exit.DONE
    output.tell(f"dibs: {explain_schema(state)}".replace(OR_IN_CODE, ""))
    return Exit.SCHEMA_MISMATCH
