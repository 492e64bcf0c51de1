"""`dibs gate`: pause and go on."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
import typer

from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_wait
from dibs.cli.stores import on_store
from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput

app = typer.Typer(help="Pause and go on: globally, or a tenant, queue, job type or source.", no_args_is_help=False)


def _before(name: str, what: str) -> Any:
    return typer.Option(name, metavar="NAME", help=f"The gate of this {what} instead of the global one.")


OfTenant = Annotated[str | None, _before("--tenant", "tenant")]
OfQueue = Annotated[str | None, _before("--queue", "queue")]
OfType = Annotated[str | None, _before("--type", "job type")]
OfSource = Annotated[str | None, _before("--source", "source")]
Drain = Annotated[bool, typer.Option("--drain", help="Let running jobs finish instead of asking them to hand back.")]
Span = Annotated[
    str | None, typer.Option("--for", metavar="TIME", help="Open again by itself after this.", show_default="never")
]


@app.command("status")
def show_gates(url: Url = None, *, as_json: AsJson = False) -> None:
    """Show which gates are shut, by whom and why."""
    gates, now = on_store(url, _read_gates)
    if as_json:
        output.show_json({"gates": [msgspec.structs.asdict(gate) for gate in gates]})
    elif not gates:
        output.show_line("All gates are open.")
    else:
        from dibs.cli.printing.governed import gates_table

        output.show(gates_table(gates, now))


async def _read_gates(backend: Backend) -> tuple[list[Gate], datetime]:
    return await backend.admission.list_gates(), await backend.reader.now()


@app.command("close")
def close_gate(
    reason: Reason,
    tenant: OfTenant = None,
    queue: OfQueue = None,
    job_type: OfType = None,
    source: OfSource = None,
    is_drain: Drain = False,
    span: Span = None,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Shut a gate.

    Nothing new starts behind it; running jobs are asked to hand back, at no cost, or with --drain may finish.
    """
    scope, name = _name_gate({"tenant": tenant, "queue": queue, "job_type": job_type, "source": source})
    ends_after = read_optional_wait(span, "--for")

    async def shut(backend: Backend) -> tuple[Gate, bool]:
        expires_at = None if ends_after is None else await backend.reader.now() + ends_after
        mode = GateMode.DRAIN if is_drain else GateMode.CLOSED
        wanted = Gate(scope=scope, name=name, mode=mode, expires_at=expires_at)
        await backend.admission.set_rule(wanted, actor=name_actor(actor), reason=reason)
        return wanted, await _is_used(backend, wanted)

    shut_gate, is_used = on_store(url, shut)
    _tell(shut_gate, "shut", as_json=as_json)
    if not is_used:
        what = f"{scope.replace('_', ' ')} {name!r}"
        output.tell(f"dibs: no job is of {what} now, and no worker takes any. If that was a slip: dibs gate open …")


@app.command("open")
def open_gate(
    reason: Reason,
    tenant: OfTenant = None,
    queue: OfQueue = None,
    job_type: OfType = None,
    source: OfSource = None,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Open a gate.

    Other gates stay as they are: opening the global one leaves a smaller pause in place.
    """
    scope, name = _name_gate({"tenant": tenant, "queue": queue, "job_type": job_type, "source": source})

    async def reopen(backend: Backend) -> Gate:
        wanted = Gate(scope=scope, name=name, mode=GateMode.OPEN)
        await backend.admission.set_rule(wanted, actor=name_actor(actor), reason=reason)
        return wanted

    _tell(on_store(url, reopen), "open", as_json=as_json)


async def _is_used(backend: Backend, gate: Gate) -> bool:
    """Tell whether any job or worker names what a gate stands before."""
    if gate.scope is GateScope.GLOBAL:
        return True
    wanted = msgspec.structs.replace(JobFilter(), **{gate.scope.value: gate.name})
    page = await backend.reader.list_jobs(wanted, PageRequest(limit=1))
    return bool(page.items) or any(_names(card, gate) for card in await backend.workers.list_workers())


def _names(card: WorkerCard, gate: Gate) -> bool:
    named = {GateScope.TENANT: (card.tenant,), GateScope.QUEUE: card.queues or (), GateScope.JOB_TYPE: card.job_types}
    return gate.name in named.get(gate.scope, ())


def _name_gate(given: dict[str, str | None]) -> tuple[GateScope, str]:
    named = {scope: name for scope, name in given.items() if name is not None}
    if len(named) > 1:
        message = f"one gate at a time: {', '.join(named)} were given. Run the command once for each."
        raise BadInput(message)
    if not named:
        return GateScope.GLOBAL, ""
    [(scope, name)] = named.items()
    return GateScope(scope), name


def _tell(gate: Gate, state: str, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"gate": gate.key, "mode": gate.mode, "expires_at": gate.expires_at})
    else:
        output.show_line(f"{gate.key}: {state}")
