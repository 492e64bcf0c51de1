"""`dibs users`: users of the dashboard."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dibs.access.scopes import Role
from dibs.cli.commands.access.owners import every_owner, find_user_owner, read_owner
from dibs.cli.directories import on_directory
from dibs.cli.options import Actor, AsJson, Everywhere, OfTenant, Tenant, Url, WhyNot, name_actor
from dibs.cli.printing import output
from dibs.cli.stdin import read_lines

if TYPE_CHECKING:
    from dibs.access.directory import Directory
    from dibs.access.model import User

app = typer.Typer(help="Users of the dashboard. Passwords are asked for, or read from stdin.", no_args_is_help=False)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name that the user signs in with.")]
OfRole = Annotated[Role, typer.Option("--role", help="What the user may do.")]


@app.command("create")
def create_user(
    name: Name,
    role: OfRole,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Make a user. The password is asked for, or is the first line of stdin."""
    from dibs.access.model import NewUser, by_system

    owner = read_owner(tenant, is_everywhere=is_everywhere)
    wanted = NewUser(tenant=owner, name=name, role=role, password=_read_password())

    async def work(directory: "Directory") -> "User":
        from dibs.access import actions

        return await actions.create_user(directory, wanted, by_system(name_actor(actor), reason))

    _tell(on_directory(url, work), "made", as_json=as_json)


@app.command("list")
def list_users(tenant: Tenant = None, url: Url = None, *, as_json: AsJson = False) -> None:
    """List users."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "list[User]":
        from dibs.access import actions

        by = by_system(name_actor(None))
        owners = await every_owner(directory) if tenant is None else [tenant]
        return [user for owner in owners for user in await actions.list_users(directory, owner, by)]

    users = on_directory(url, work)
    if as_json:
        output.show_json({"users": users})
    elif not users:
        output.show_line("No users yet. Make one with: dibs users create NAME --role ROLE --tenant NAME")
    else:
        from dibs.cli.printing.access import users_table

        output.show(users_table(users))


@app.command("disable")
def disable_user(
    name: Name, reason: WhyNot = "", actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Shut a user out, and end all of the user's sessions."""
    from dibs.access.model import by_system

    async def work(directory: "Directory") -> "User":
        from dibs.access import actions

        owner = await find_user_owner(directory, name)
        return await actions.disable_user(directory, owner, name, by_system(name_actor(actor), reason))

    _tell(on_directory(url, work), "disabled", as_json=as_json)


@app.command("password")
def set_password(
    name: Name, reason: WhyNot = "", actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Give a user another password, and end all of the user's sessions."""
    from dibs.access.model import by_system

    password = _read_password()

    async def work(directory: "Directory") -> "User":
        from dibs.access import actions

        owner = await find_user_owner(directory, name)
        return await actions.set_password(directory, owner, name, password, by_system(name_actor(actor), reason))

    _tell(on_directory(url, work), "set the password of", as_json=as_json)


def _read_password() -> str:
    """Ask at a terminal, twice and unseen; else take the first line of stdin. Never an option: others can see those."""
    if sys.stdin.isatty():
        asked: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return asked
    return read_lines(1)[0]


def _tell(user: "User", done: str, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"user": user})
    else:
        output.show_line(f"{done} the user {user.name}")
