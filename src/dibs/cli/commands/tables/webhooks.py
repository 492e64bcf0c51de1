"""`dibs webhooks`: have events told to a URL."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
import typer

from dibs.assembly import find_tables_schema, make_directory, open_backend
from dibs.cli.commands.access.owners import read_owner
from dibs.cli.options import Actor, AsJson, Everywhere, OfTenant, Url, WhyNot, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_span

if TYPE_CHECKING:
    from dibs.services.webhooks.actions import Postroom
    from dibs.services.webhooks.model import Endpoint

app = typer.Typer(help="Webhooks: where events are told, signed.", no_args_is_help=False)
Answer = TypeVar("Answer")
Where = Annotated[str, typer.Argument(metavar="URL", help="Where messages go, https://…")]
Which = Annotated[str, typer.Argument(metavar="ID", help="The id of the webhook, as listed.")]
Events = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="EVENT", help="job.finished, job.failed or alert.", show_default="all of them"),
]
Overlap = Annotated[
    str | None, typer.Option("--overlap", metavar="TIME", help="How long the old one goes on.", show_default="24h")
]
Most = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="How many at most.")]


def on_postroom(url: str | None, work: "Callable[[Postroom], Awaitable[Answer]]") -> Answer:
    """Do something with webhooks whose tables fit. Nothing is ever installed on the way."""

    async def do() -> Answer:
        await find_tables_schema(url).check()
        from dibs.services.webhooks.actions import Postroom
        from dibs.services.webhooks.settings import WebhookSettings

        async with await open_backend(url, migrate=False) as backend:
            directory = make_directory(backend, url)
            async with directory.tables:
                return await work(Postroom(directory, backend, WebhookSettings.from_env()))

    return asyncio.run(do())


@app.command("add")
def add_webhook(
    where: Where,
    events: Events = None,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Have events told to a URL, and print the secret that signs them once."""
    from dibs.access.model import by_system
    from dibs.services.webhooks import actions
    from dibs.services.webhooks.model import Event

    owner = read_owner(tenant, is_everywhere=is_everywhere)
    wanted = actions.NewEndpoint(tenant=owner, url=where, events=tuple(events or Event))
    by = by_system(name_actor(actor), reason)
    _tell(*on_postroom(url, lambda room: actions.add_endpoint(room, wanted, by)), as_json=as_json)


@app.command("list")
def list_webhooks(
    tenant: OfTenant = None, is_everywhere: Everywhere = False, url: Url = None, *, as_json: AsJson = False
) -> None:
    """List webhooks, without their secrets."""
    from dibs.access.model import by_system
    from dibs.services.webhooks import actions

    owner, by = read_owner(tenant, is_everywhere=is_everywhere), by_system(name_actor(None))
    found = on_postroom(url, lambda room: actions.list_endpoints(room, owner, by))
    if as_json:
        output.show_json({"webhooks": found})
        return
    for one in found:
        state = "disabled" if one.disabled_at else "enabled"
        output.show_line(f"{one.id}  {state}  {one.url}  {' '.join(one.events)}")
    if not found:
        output.show_line("No webhooks yet. Make one with: dibs webhooks add URL --tenant NAME")


@app.command("rotate")
def rotate_webhook(
    endpoint_id: Which,
    overlap: Overlap = None,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Make another secret, and let the old one end."""
    from dibs.access.model import by_system
    from dibs.services.webhooks import actions

    owner, span = read_owner(tenant, is_everywhere=is_everywhere), read_optional_span(overlap, "--overlap")
    by = by_system(name_actor(actor), reason)

    async def work(room: "Postroom") -> "tuple[Endpoint, str]":
        return await actions.rotate_secret(room, owner, endpoint_id, by, overlap=span)

    _tell(*on_postroom(url, work), as_json=as_json)


@app.command("remove")
def remove_webhook(
    endpoint_id: Which,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    reason: WhyNot = "",
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Forget a webhook, and what is on its way to it."""
    from dibs.access.model import by_system
    from dibs.services.webhooks import actions

    owner, by = read_owner(tenant, is_everywhere=is_everywhere), by_system(name_actor(actor), reason)
    on_postroom(url, lambda room: actions.remove_endpoint(room, owner, endpoint_id, by))
    output.show_line(f"removed the webhook {endpoint_id}")


@app.command("deliveries")
def list_deliveries(
    endpoint_id: Which,
    limit: Most = 50,
    tenant: OfTenant = None,
    is_everywhere: Everywhere = False,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List what was sent to a webhook, or is to be, the newest first."""
    from dibs.access.model import by_system
    from dibs.services.webhooks import actions

    owner, by = read_owner(tenant, is_everywhere=is_everywhere), by_system(name_actor(None))
    found = on_postroom(url, lambda room: actions.list_deliveries(room, owner, endpoint_id, by, limit=limit))
    if as_json:
        output.show_json({"deliveries": found})
        return
    for one in found:
        output.show_line(f"{one.id}  {one.state}  {one.event}  {one.subject}  {one.status or one.error or '-'}")
    if not found:
        output.show_line("Nothing yet.")


def _tell(endpoint: "Endpoint", secret: str, *, as_json: bool) -> None:
    if as_json:
        output.show_json({**msgspec.structs.asdict(endpoint), "secret": secret})
        return
    output.show_line(secret)
    output.hint(f"Keep it now: it is not shown again. The webhook is {endpoint.id}.")
