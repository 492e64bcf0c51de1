"""`dibs postings list|show|expire|reject|reopen|resolve|approve|approvals`: what people do with postings."""

from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import asdict

from dibs.cli.commands.postings.crawling import Tenant
from dibs.cli.commands.postings.places import DEFAULT_TENANT, on_office
from dibs.cli.options import Actor, AsJson, Reason, Url, WhyNot, name_actor
from dibs.cli.printing import output
from dibs.errors import BadInput

if TYPE_CHECKING:
    from dibs.apps.postings.records import Tracked

JobId = Annotated[str, typer.Argument(metavar="ID", help="The id of the posting on its board.")]
OnBoard = Annotated[
    str | None, typer.Option("--board", metavar="NAME", help="The board, where several have a posting of this id.")
]
OnlyBoard = Annotated[str | None, typer.Option("--board", metavar="NAME", help="Only this board, by our name for it.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of the run.")]
FindingWord = Annotated[str, typer.Argument(metavar="FINDING", help="submitted or not-submitted.")]
OfState = Annotated[
    str | None,
    typer.Option(
        "--state", metavar="STATE", help="discovered, queued, applied, expired or rejected.", show_default="all"
    ),
]
IsHeld = Annotated[bool, typer.Option("--held", help="Only those that are held until somebody finds out.")]
IsClaimable = Annotated[bool, typer.Option("--claimable", help="Only those that nobody has.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at the most.")]
After = Annotated[
    str, typer.Option("--after", metavar="ID", help="Go on after this one, by its id in --json.", show_default=False)
]


def list_postings(
    state: OfState = None,
    board: OnlyBoard = None,
    is_held: IsHeld = False,
    is_claimable: IsClaimable = False,
    after: After = "",
    limit: Limit = 50,
    tenant: Tenant = DEFAULT_TENANT,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List postings in the order they were found."""
    from dibs.apps.postings.actions import list_postings as list_them

    filters = {"state": _read_state(state), "board": board, "is_held": is_held or None, "is_claimable": is_claimable}
    found = on_office(url, lambda office, _: list_them(office, tenant, filters, after=after, limit=limit))
    if as_json:
        output.show_json({"postings": [_shape(one) for one in found]})
        return
    for one in found:
        held = " (held)" if one.is_held else ""
        output.show_line(f"{one.board}  {one.external_id}  {one.state}{held}  {one.title}")
    if not found:
        output.show_line("No postings. Read a board with: dibs postings crawl PROVIDER TOKEN")


def show_posting(
    job_id: JobId, board: OnBoard = None, tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False
) -> None:
    """Show a posting with all runs at it and all that people did."""
    from dibs.apps.postings.actions import find_timeline

    found = on_office(url, lambda office, _: find_timeline(office, tenant, job_id, board))
    if as_json:
        output.show_json({"posting": _shape(found.posting), "runs": found.runs, "acts": found.acts})
        return
    output.show_line(
        f"{found.posting.title} ({found.posting.board} {found.posting.external_id}): {found.posting.state}"
    )
    for run in found.runs:
        error = f": {run.error}" if run.error else ""
        output.show_line(f"  run {run.run_id}  {run.state}  {run.updated_at.isoformat()}{error}")
    for act in found.acts:
        output.show_line(f"  {act.at.isoformat()}  {act.action}  {act.actor}: {act.reason}")


def expire(
    job_id: JobId,
    reason: Reason,
    board: OnBoard = None,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Take a posting out because it is over."""
    _move("expire", (job_id, board), reason, tenant, actor, url, as_json=as_json)


def reject(
    job_id: JobId,
    reason: Reason,
    board: OnBoard = None,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Take a posting out because nobody should apply to it."""
    _move("reject", (job_id, board), reason, tenant, actor, url, as_json=as_json)


def reopen(
    job_id: JobId,
    reason: Reason,
    board: OnBoard = None,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Bring an expired or rejected posting back."""
    _move("reopen", (job_id, board), reason, tenant, actor, url, as_json=as_json)


def resolve(
    run_id: RunId,
    finding: FindingWord,
    reason: Reason,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a run whose end was unknown has submitted."""
    from dibs.apps.postings.claims.reconciling import Finding, resolve_hold
    from dibs.apps.postings.records import By

    words = {one.value.replace("_", "-"): one for one in Finding}
    if finding not in words:
        message = f"FINDING {finding!r}: use {' or '.join(words)}."
        raise BadInput(message)
    by = By(actor=name_actor(actor), reason=reason)
    moved = on_office(url, lambda office, _: resolve_hold(office, tenant, run_id, words[finding], by))
    _tell(moved, as_json=as_json)


def approve(
    run_id: RunId,
    reason: WhyNot = "",
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Let a run submit."""
    from dibs.apps.postings.claims.approving import approve_run
    from dibs.apps.postings.records import By

    by = By(actor=name_actor(actor), reason=reason)
    on_office(url, lambda office, _: approve_run(office, tenant, run_id, by))
    output.show_line(f"run {run_id} may submit")


def list_awaiting(tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False) -> None:
    """List the runs that submit nothing before a person approves them."""
    from dibs.apps.postings.actions import list_awaiting as list_them

    found = on_office(url, lambda office, _: list_them(office, tenant))
    if as_json:
        output.show_json({"approvals": [{**asdict(one), "posting": _shape(one.posting)} for one in found]})
        return
    for one in found:
        asks = f" (to be judged: {'; '.join(one.guessed)})" if one.guessed else ""
        named = f"{one.posting.board}  {one.posting.external_id}  {one.posting.title}"
        output.show_line(f"{one.run.run_id}  {named}  answers: {one.answers}{asks}")
    if not found:
        output.show_line("No run waits for approval.")


def _move(
    verb: str,
    named: tuple[str, str | None],
    reason: str,
    tenant: str,
    actor: str | None,
    url: str | None,
    *,
    as_json: bool,
) -> None:
    from dibs.apps.postings.actions import move_by_hand
    from dibs.apps.postings.records import By

    by = By(actor=name_actor(actor), reason=reason)
    _tell(on_office(url, lambda office, _: move_by_hand(office, tenant, named, verb, by)), as_json=as_json)


def _tell(moved: "Tracked", *, as_json: bool) -> None:
    if as_json:
        output.show_json({"posting": _shape(moved)})
    else:
        output.show_line(f"{moved.board} {moved.external_id}: {moved.state}")


def _shape(tracked: "Tracked") -> dict[str, object]:
    from dibs.apps.postings.model import show_posting as show

    kept = ("id", "board", "state", "reason", "first_seen_at", "last_seen_at", "is_held", "holder", "expires_at")
    return {**show(tracked.posting), **{name: getattr(tracked, name) for name in kept}}


def _read_state(state: str | None) -> str | None:
    from dibs.apps.postings.model import PostingState

    if state is not None and state not in list(PostingState):
        message = f"--state {state!r}: use {', '.join(PostingState)}."
        raise BadInput(message)
    return state
