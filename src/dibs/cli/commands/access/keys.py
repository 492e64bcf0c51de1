"""`dibs keys`: API keys."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from dibs.access.scopes import Scope
from dibs.cli.commands.access.owners import every_owner, find_key_owner, read_owner
from dibs.cli.directories import on_directory
from dibs.cli.options import Actor, AsJson, Everywhere, OfTenant, Tenant, Url, WhyNot, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_span

if TYPE_CHECKING:
    from dibs.access.directory import Directory
    from dibs.access.model import ApiKey

app = typer.Typer(help="API keys: make, list, end and rotate them.", no_args_is_help=False)
SCOPES = f"What it may do; may be repeated: {', '.join(Scope)}."
Scopes = Annotated[list[str], typer.Option("--scope", metavar="SCOPE", help=SCOPES)]
Label = Annotated[str, typer.Option("--name", metavar="TEXT", help="What it is for.")]
Expires = Annotated[
    str | None, typer.Option("--expires", metavar="TIME", help="After how long it ends: 90d.", show_default="never")
]
KeyId = Annotated[str, typer.Argument(metavar="ID", help="The id of the key, as listed.")]
Overlap = Annotated[
    str | None, typer.Option("--overlap", metavar="TIME", help="How long the old one goes on.", show_default="24h")
]


@app.command("create")
def create_key(
    scopes: Scopes,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    name: Label = "",
    expires: Expires = None,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Make a key, and print it once.

    Nobody can read it again. A tenant that is not there yet is made.
    """
    from dibs.access.model import NewKey, by_system, fit_scopes

    owner = read_owner(tenant, is_everywhere=is_everywhere)
    life = read_optional_span(expires, "--expires")
    wanted = NewKey(tenant=owner, scopes=fit_scopes(frozenset(scopes)), name=name, life=life)
    by = by_system(name_actor(actor), reason)

    async def work(directory: "Directory") -> "tuple[ApiKey, str]":
        from dibs.access import actions
        from dibs.errors import TenantNotFound

        try:
            return await actions.create_key(directory, wanted, by)
        except TenantNotFound:
            await actions.create_tenant(directory, owner or "", by)
            output.tell(f"dibs: the tenant {owner} is new")
            return await actions.create_key(directory, wanted, by)

    _tell(*on_directory(url, work), as_json=as_json)


@app.command("list")
def list_keys(tenant: Tenant = None, url: Url = None, *, as_json: AsJson = False) -> None:
    """List keys, without their secrets."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "list[ApiKey]":
        from dibs.access import actions

        by = by_system(name_actor(None))
        owners = await every_owner(directory) if tenant is None else [tenant]
        return [key for owner in owners for key in await actions.list_keys(directory, owner, by)]

    keys = on_directory(url, work)
    if as_json:
        output.show_json({"keys": keys})
    elif not keys:
        output.show_line("No keys yet. Make one with: dibs keys create --tenant NAME --scope SCOPE")
    else:
        from dibs.cli.printing.access import keys_table

        output.show(keys_table(keys))


@app.command("revoke")
def revoke_key(
    key_id: KeyId, reason: WhyNot = "", actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """End a key, within a second and everywhere."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "ApiKey":
        from dibs.access import actions

        owner = await find_key_owner(directory, key_id)
        return await actions.revoke_key(directory, owner, key_id, by_system(name_actor(actor), reason))

    key = on_directory(url, work)
    if as_json:
        output.show_json(msgspec.structs.asdict(key))
    else:
        output.show_line(f"ended the key {key.id} ({key.hint}…)")


@app.command("rotate")
def rotate_key(
    key_id: KeyId,
    overlap: Overlap = None,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Make a key that can do the same, and let the old one end."""
    from dibs.access.model import by_system

    span = read_optional_span(overlap, "--overlap")

    async def work(directory: "Directory") -> "tuple[ApiKey, str]":
        from dibs.access import actions

        owner = await find_key_owner(directory, key_id)
        by = by_system(name_actor(actor), reason)
        return await actions.rotate_key(directory, owner, key_id, by, overlap=span)

    _tell(*on_directory(url, work), as_json=as_json)


def _tell(key: "ApiKey", secret: str, *, as_json: bool) -> None:
    if as_json:
        facts: dict[str, Any] = {"key": secret, **msgspec.structs.asdict(key)}
        output.show_json(facts)
        return
    output.show_line(secret)
    output.hint("Keep it now: it is not shown again.")
