"""`dibs postings boards|policy|cap|caps|answers|answer`: how agents are to treat boards, and what they may do."""

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from dibs.cli.commands.postings.crawling import Tenant
from dibs.cli.commands.postings.places import DEFAULT_TENANT, on_office
from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.cli.spans import read_optional_span
from dibs.errors import BadInput, BoardNotFound
from dibs.kit.figures import show_span

if TYPE_CHECKING:
    from dibs.apps.postings.limits.caps import Cap
    from dibs.apps.postings.office import Office
    from dibs.apps.postings.records import BoardCard, BoardPolicy, By

Word = TypeVar("Word", bound=StrEnum)
BoardName = Annotated[str, typer.Argument(metavar="BOARD", help="The board, by our name for it.")]
FenceWord = Annotated[
    str | None,
    typer.Option(
        "--fence",
        metavar="WORD",
        help="required: hold every run that falls silent; or optional.",
        show_default="as it is",
    ),
]
ApprovalWord = Annotated[
    str | None,
    typer.Option(
        "--approval",
        metavar="WORD",
        help="When a person approves: every_time, when_guessed or never.",
        show_default="as it is",
    ),
]
RoleWord = Annotated[
    str | None,
    typer.Option(
        "--role-rule",
        metavar="WORD",
        help="When the same role was applied to before: warn or block.",
        show_default="as it is",
    ),
]
ScopeWord = Annotated[str, typer.Argument(metavar="SCOPE", help="all, board or company.")]
CapName = Annotated[
    str, typer.Argument(metavar="NAME", help="The board or company; * for each without a cap of its own.")
]
MostADay = Annotated[
    int | None, typer.Option("--most-a-day", metavar="N", help="How many runs within 24 hours.", show_default="no cap")
]
CoolDown = Annotated[
    str | None,
    typer.Option("--cool-down", metavar="SPAN", help="How long after the last run, such as 3d.", show_default="none"),
]
QuestionText = Annotated[str, typer.Argument(metavar="QUESTION", help="As the form asks it.")]
ValueText = Annotated[str, typer.Argument(metavar="VALUE", help="The answer, as agents give it.")]
IsUnapproved = Annotated[bool, typer.Option("--unapproved", help="Only what no person has approved.")]


def list_boards(tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False) -> None:
    """List the boards that were crawled, and how they are treated."""
    from dibs.apps.postings.actions import list_boards as list_them

    found = on_office(url, lambda office, _: list_them(office, tenant))
    if as_json:
        output.show_json({"boards": found})
        return
    for card in found:
        _tell_board(card)
    if not found:
        output.show_line("No boards. Read one with: dibs postings crawl BOARD TOKEN")


def set_policy(
    board: BoardName,
    reason: Reason,
    fence: FenceWord = None,
    approval: ApprovalWord = None,
    role_rule: RoleWord = None,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Set how agents are to treat a board; what is not named stays as it is."""
    from dibs.apps.postings import actions

    words = {"fence": fence, "approval": approval, "role_rule": role_rule}
    by = _make_by(actor, reason)

    async def work(office: "Office", _: object) -> "BoardCard":
        cards = {card.name: card for card in await actions.list_boards(office, tenant)}
        if board not in cards:
            message = f"there is no board {board!r}. Crawl it first."
            raise BoardNotFound(message)
        return await actions.set_policy(office, tenant, board, _change_policy(cards[board].policy, words), by)

    card = on_office(url, work)
    if as_json:
        output.show_json({"board": card})
    else:
        _tell_board(card)


def set_cap(
    scope: ScopeWord,
    reason: Reason,
    name: CapName = "*",
    most_a_day: MostADay = None,
    cool_down: CoolDown = None,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Set how often agents may apply; without any limit the cap is taken away."""
    from dibs.apps.postings.limits.actions import set_cap as set_it
    from dibs.apps.postings.limits.caps import Cap, CapScope

    span = read_optional_span(cool_down, "--cool-down")
    cap = Cap(scope=_read_word(CapScope, "SCOPE", scope), name=name, most_a_day=most_a_day, cool_down=span)
    by = _make_by(actor, reason)
    _tell_cap(on_office(url, lambda office, _: set_it(office, tenant, cap, by)))


def list_caps(tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False) -> None:
    """List how often agents may apply."""
    from dibs.apps.postings.limits.actions import list_caps as list_them

    found = on_office(url, lambda office, _: list_them(office, tenant))
    if as_json:
        output.show_json({"caps": [_shape_cap(cap) for cap in found]})
        return
    for cap in found:
        _tell_cap(cap)
    if not found:
        output.show_line("No caps: agents may apply as often as they like.")


def list_answers(
    is_unapproved: IsUnapproved = False, tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False
) -> None:
    """List the ledger of answers."""
    from dibs.apps.postings.ledger.actions import list_answers as list_them

    approved = False if is_unapproved else None
    found = on_office(url, lambda office, _: list_them(office, tenant, is_approved=approved))
    if as_json:
        output.show_json({"answers": found})
        return
    for one in found:
        approved_by = f", approved by {one.approved_by}" if one.approved_by else ""
        output.show_line(f"{one.question}  {one.value}  ({one.source}{approved_by})")
    if not found:
        output.show_line("No answers.")


def put_answer(
    question: QuestionText,
    value: ValueText,
    reason: Reason,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Give your own answer to a question: agents may give it from now on."""
    from dibs.apps.postings.ledger.actions import put_answer as put_it

    by = _make_by(actor, reason)
    on_office(url, lambda office, _: put_it(office, tenant, question, value, by))
    output.show_line(f"agents may answer {question!r} with {value!r}")


def _make_by(actor: str | None, reason: str) -> "By":
    from dibs.apps.postings.records import By

    return By(actor=name_actor(actor), reason=reason)


def _change_policy(policy: "BoardPolicy", words: dict[str, str | None]) -> "BoardPolicy":
    from msgspec.structs import replace

    given = {
        name: _read_word(type(getattr(policy, name)), f"--{name.replace('_', '-')}", word)
        for name, word in words.items()
        if word is not None
    }
    if not given:
        message = f"nothing to set. Name one of --{', --'.join(name.replace('_', '-') for name in words)}."
        raise BadInput(message)
    return replace(policy, **given)


def _read_word(kind: type[Word], called: str, word: str) -> Word:
    if word not in list(kind):
        message = f"{called} {word[:40]!r}: use {', '.join(kind)}."
        raise BadInput(message)
    return kind(word)


def _tell_board(card: "BoardCard") -> None:
    policy = card.policy
    said = f"fence {policy.fence}, approval {policy.approval}, role {policy.role_rule}"
    output.show_line(f"{card.name}  {card.provider} {card.token}  {said}")


def _tell_cap(cap: "Cap") -> None:
    most = "no cap" if cap.most_a_day is None else f"{cap.most_a_day} a day"
    pause = "no cool-down" if cap.cool_down is None else f"cool-down {show_span(cap.cool_down)}"
    output.show_line(f"{cap.scope} {cap.name}: {most}, {pause}")


def _shape_cap(cap: "Cap") -> dict[str, object]:
    seconds = None if cap.cool_down is None else _seconds(cap.cool_down)
    return {"scope": cap.scope, "name": cap.name, "most_a_day": cap.most_a_day, "cool_down_seconds": seconds}


def _seconds(span: timedelta) -> int:
    return int(span.total_seconds())
