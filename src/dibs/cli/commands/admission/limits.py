"""`dibs limits`: how much tenants, queues and concurrency keys may have."""

from typing import Annotated

import typer
from msgspec.structs import replace

from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.stores import on_store
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput
from dibs.kit.money import to_microcents

app = typer.Typer(help="Limits of tenants, queues and concurrency keys.", no_args_is_help=False)
OfTenant = Annotated[str, typer.Argument(metavar="TENANT", help="The name of the tenant.")]
OfQueue = Annotated[str, typer.Argument(metavar="QUEUE", help="The name of the queue.")]
OfKey = Annotated[str, typer.Argument(metavar="KEY", help="A concurrency key, or a family of them such as account:")]
Running = Annotated[str | None, typer.Option("--max-running", metavar="N", help="Jobs at once; none: no limit.")]
Weight = Annotated[int | None, typer.Option("--weight", metavar="N", help="Turns in fair queues, beside others' 1.")]
Daily = Annotated[str | None, typer.Option("--daily-budget", metavar="CENTS", help="A UTC day; none: no limit.")]
Monthly = Annotated[str | None, typer.Option("--monthly-budget", metavar="CENTS", help="A UTC month; none: no limit.")]
IsFair = Annotated[bool, typer.Option("--fair/--not-fair", help="Whether its tenants take turns.")]
Most = Annotated[str, typer.Argument(metavar="N", help="Jobs with it at once; none: take the limit away.")]
NONE = "none"
# Python refuses to read numbers of thousands of digits.
MOST_DIGITS = 100


@app.command("list")
def list_limits(url: Url = None, *, as_json: AsJson = False) -> None:
    """List all limits that are set."""

    async def read(backend: Backend) -> list[Rule]:
        return [rule for rule in await backend.admission.list_rules() if not isinstance(rule, Gate)]

    rules = on_store(url, read)
    if as_json:
        output.show_json({"limits": rules})
    elif not rules:
        output.show_line("No limits are set; of each concurrency key one job runs at a time.")
    else:
        from dibs.cli.printing.governed import limits_table

        output.show(limits_table(rules))


@app.command("tenant")
def limit_tenant(
    name: OfTenant,
    reason: Reason,
    max_running: Running = None,
    weight: Weight = None,
    daily_budget: Daily = None,
    monthly_budget: Monthly = None,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Set how much a tenant may have.

    What is left out stays as it is.
    """
    changes: dict[str, object] = {} if weight is None else {"weight": weight}
    if max_running is not None:
        changes["max_running"] = _read_number(max_running)
    for field, cents in (("daily", daily_budget), ("monthly", monthly_budget)):
        if cents is not None:
            changes[f"{field}_budget_microcents"] = None if cents == NONE else to_microcents(cents)

    async def change(backend: Backend) -> TenantRule:
        rules = await backend.admission.list_rules()
        known = next((one for one in rules if isinstance(one, TenantRule) and one.name == name), TenantRule(name=name))
        rule = replace(known, **changes)
        await backend.admission.set_rule(rule, actor=name_actor(actor), reason=reason)
        return rule

    _tell(on_store(url, change), as_json=as_json)


def _read_number(text: str, name: str = "--max-running") -> int | None:
    if text != NONE and not (text.isdecimal() and len(text) <= MOST_DIGITS):
        message = f"{name} {text!r}: give a whole number, or none for no limit."
        raise BadInput(message)
    return None if text == NONE else int(text)


@app.command("queue")
def limit_queue(
    name: OfQueue,
    reason: Reason,
    is_fair: IsFair,
    actor: Actor = None,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Let the tenants of a queue take turns, or not."""
    _tell(_set(QueueRule(name=name, fair=is_fair), reason, actor, url), as_json=as_json)


@app.command("key")
def limit_key(
    name: OfKey, most: Most, reason: Reason, actor: Actor = None, url: Url = None, *, as_json: AsJson = False
) -> None:
    """Set how many jobs with a concurrency key may run at once."""
    _tell(_set(KeyRule(name=name, max_running=_read_number(most, "N")), reason, actor, url), as_json=as_json)


def _set(rule: Rule, reason: str, actor: str | None, url: str | None) -> Rule:
    async def change(backend: Backend) -> Rule:
        await backend.admission.set_rule(rule, actor=name_actor(actor), reason=reason)
        return rule

    return on_store(url, change)


def _tell(rule: Rule, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"limit": rule})
        return
    from dibs.cli.printing.governed import limits_table

    output.show(limits_table([rule]))
