"""`dibs postings profiles|profile|variant|variants`: for whom agents apply, with which resumes, and how these do."""

from typing import TYPE_CHECKING, Annotated

import typer

from dibs.cli.commands.postings.crawling import Tenant
from dibs.cli.commands.postings.places import DEFAULT_TENANT, on_office
from dibs.cli.options import Actor, AsJson, Reason, Url, name_actor
from dibs.cli.printing import output
from dibs.errors import BadInput

if TYPE_CHECKING:
    from dibs.apps.postings.office import Office
    from dibs.apps.postings.profiles.actions import ProfileStory
    from dibs.apps.postings.records import By
    from dibs.apps.postings.variants import VariantMeasure

ProfileName = Annotated[
    str, typer.Argument(metavar="PROFILE", help="A short name that tells nobody who it is, such as p1.")
]
FullName = Annotated[
    str | None, typer.Option("--full-name", metavar="TEXT", help="Who it is.", show_default="as it is")
]
Contact = Annotated[
    str | None,
    typer.Option("--contact", metavar="TEXT", help="Where employers reach them.", show_default="as it is"),
]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="QUESTION=VALUE", help="What they answer; may be repeated.", show_default=False),
]
IsForgotten = Annotated[bool, typer.Option("--forget", help="Take it out.")]
VariantId = Annotated[str, typer.Argument(metavar="VARIANT", help="The id that agents name in variant_id.")]
Resume = Annotated[str, typer.Option("--resume", metavar="TEXT", help="Where the resume is.", show_default="none")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="What it is like.", show_default="none")]
OfProfile = Annotated[
    str | None, typer.Option("--profile", metavar="PROFILE", help="Only theirs.", show_default="everybody's")
]
AtBoard = Annotated[
    str | None, typer.Option("--board", metavar="NAME", help="Only runs at this board.", show_default="all boards")
]


def list_profiles(tenant: Tenant = DEFAULT_TENANT, url: Url = None, as_json: AsJson = False) -> None:
    """List the people for whom agents apply, with their resumes."""
    from dibs.apps.postings.profiles.actions import list_profiles as list_them

    found = on_office(url, lambda office, _: list_them(office, tenant))
    if as_json:
        output.show_json({"profiles": [_shape(story) for story in found]})
        return
    for story in found:
        _tell(story)
    if not found:
        output.show_line("No profiles. Say for whom agents apply with: dibs postings profile PROFILE --full-name TEXT")


def put_profile(
    profile: ProfileName,
    reason: Reason,
    full_name: FullName = None,
    contact: Contact = None,
    answers: Answers = None,
    is_forgotten: IsForgotten = False,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Say who somebody is and what they answer; what is not named stays as it is."""
    from dibs.apps.postings.profiles import actions
    from dibs.apps.postings.profiles.model import ProfileDraft

    by = _make_by(actor, reason)
    if is_forgotten:
        on_office(url, lambda office, _: actions.forget_profile(office, tenant, profile, by))
        output.show_line(f"profile {profile} is gone; what its runs have left stays")
        return
    draft = ProfileDraft(name=profile, full_name=full_name, contact=contact)
    given = dict(map(_read_answer, answers or []))

    async def work(office: "Office", _: object) -> "ProfileStory":
        story = await actions.put_profile(office, tenant, draft, by)
        return await actions.answer_for(office, tenant, profile, given, by) if given else story

    _tell(on_office(url, work))


def put_variant(
    variant: VariantId,
    profile: ProfileName,
    reason: Reason,
    resume: Resume = "",
    note: Note = "",
    is_forgotten: IsForgotten = False,
    tenant: Tenant = DEFAULT_TENANT,
    actor: Actor = None,
    url: Url = None,
) -> None:
    """Say whose resume a variant is, and where it is."""
    from dibs.apps.postings.profiles import actions
    from dibs.apps.postings.profiles.model import VariantDraft

    by = _make_by(actor, reason)
    if is_forgotten:
        _tell(on_office(url, lambda office, _: actions.forget_variant(office, tenant, (profile, variant), by)))
        return
    draft = VariantDraft(variant_id=variant, profile=profile, resume=resume, note=note)
    _tell(on_office(url, lambda office, _: actions.put_variant(office, tenant, draft, by)))


def list_variants(
    profile: OfProfile = None,
    board: AtBoard = None,
    tenant: Tenant = DEFAULT_TENANT,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Tell how resume variants do, with intervals; no rate below 20 finished runs."""
    from dibs.apps.postings.actions import measure

    found = on_office(url, lambda office, _: measure(office, tenant, board=board, profile=profile))
    if as_json:
        output.show_json({"variants": found})
        return
    for one in found:
        output.show_line(f"{one.variant_id}  {one.profile or '-'}  {_show(one)}")
    if not found:
        output.show_line("No variants.")


def _make_by(actor: str | None, reason: str) -> "By":
    from dibs.apps.postings.records import By

    return By(actor=name_actor(actor), reason=reason)


def _read_answer(text: str) -> tuple[str, str]:
    question, mark, value = text.partition("=")
    if not mark or not question.strip():
        message = f"--answer {text[:80]!r}: write QUESTION=VALUE, such as 'Do you require a visa?=no'."
        raise BadInput(message)
    return question.strip(), value.strip()


def _tell(story: "ProfileStory") -> None:
    profile = story.profile
    output.show_line(f"{profile.name}  {profile.full_name}  {profile.contact or 'no contact'}  {_show(story.together)}")
    for one in story.variants:
        output.show_line(f"  {one.variant_id}  {one.resume or '-'}  {_show(story.measures[one.variant_id])}")
    for question, value in profile.answers.items():
        output.show_line(f"  {question}  {value}")


def _show(one: "VariantMeasure") -> str:
    counted = f"{one.successes} of {one.n} succeeded"
    if one.rate is None or one.interval is None:
        return counted
    low, high = one.interval
    return f"{counted}: {one.rate:.0%} ({low:.0%} to {high:.0%})"


def _shape(story: "ProfileStory") -> dict[str, object]:
    return {
        "profile": story.profile,
        "variants": story.variants,
        "measures": [*story.measures.values(), story.together],
    }
