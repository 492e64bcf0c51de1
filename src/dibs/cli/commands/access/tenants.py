"""`dibs tenants`: who shares this installation."""

from typing import TYPE_CHECKING, Annotated

import typer

from dibs.cli.directories import on_directory
from dibs.cli.options import Actor, AsJson, Url, WhyNot, name_actor
from dibs.cli.printing import output

if TYPE_CHECKING:
    from dibs.access.directory import Directory
    from dibs.access.model import Tenant

app = typer.Typer(help="Tenants of this installation.", no_args_is_help=False)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the tenant.")]


@app.command("create")
def create_tenant(
    name: Name, reason: WhyNot = "", actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Make a tenant."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "Tenant":
        from dibs.access import actions

        return await actions.create_tenant(directory, name, by_system(name_actor(actor), reason))

    tenant = on_directory(url, work)
    if as_json:
        output.show_json({"tenant": tenant})
    else:
        output.show_line(f"made the tenant {tenant.name}")


@app.command("list")
def list_tenants(url: Url = None, *, as_json: AsJson = False) -> None:
    """List all tenants."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "list[Tenant]":
        from dibs.access import actions

        return await actions.list_tenants(directory, by_system(name_actor(None)))

    tenants = on_directory(url, work)
    if as_json:
        output.show_json({"tenants": tenants})
    elif not tenants:
        output.show_line("No tenants yet. Make one with: dibs tenants create NAME")
    else:
        from dibs.cli.printing.access import tenants_table

        output.show(tenants_table(tenants))
