"""Made-up postings for `dibs up --demo`: three boards, and people for whom agents are at work on them.

One agent fell silent, and one asks.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from dibs.apps.postings import store
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.model import Moment, Pay, Period, Place, Posting, Workplace
from dibs.apps.postings.office import DEFAULT_TENANT, Office
from dibs.apps.postings.profiles.actions import put_profile, put_variant
from dibs.apps.postings.profiles.model import ProfileDraft, VariantDraft
from dibs.apps.postings.records import BoardCard, BoardPolicy, By
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

LUMEN, ATLAS, HARBOUR = "lumen-labs", "atlas-rail", "harbour-foods"
BOARDS = (
    (LUMEN, "Lumen Labs", BoardPolicy(approval=Approval.NEVER)),
    (ATLAS, "Atlas Rail", BoardPolicy(approval=Approval.NEVER)),
    (HARBOUR, "Harbour Foods", BoardPolicy(approval=Approval.EVERY_TIME)),
)
ROLES = ("Backend engineer", "Data analyst", "Site reliability engineer", "Product designer", "Recruiter", "Accountant")
TEAMS = ("Search", "Payments", "Logistics", "Platform")
PLACES = ("Lisbon", "Leipzig", "Oslo", "Remote, Europe")
PERMIT, NOTICE = "Do you need a visa to work here?", "When could you start?"
PEOPLE = (
    ("mira", "Mira Okafor", {PERMIT: "no", NOTICE: "three months after signing", "Salary expectation": "68,000 EUR"}),
    ("jonas", "Jonas Lindqvist", {PERMIT: "no", NOTICE: "in January", "What are your pronouns?": "he/him"}),
    ("ines", "Ines Carvalho", {PERMIT: "yes, in Norway"}),
)
VARIANTS = (
    ("mira-one-page", "mira", "one page, the newest work first"),
    ("mira-two-pages", "mira", "two pages, with every project"),
    ("jonas-plain", "jonas", "plain, without a picture"),
    ("jonas-letter", "jonas", "with a letter; new, so few have seen it"),
    ("ines-portfolio", "ines", "links to the portfolio; nobody has sent it yet"),
)
# How the runs with a variant ended, one letter a posting of that board: success, failed.
ENDS = (
    ("mira-one-page", LUMEN, "ssfssfsssfsssfssssff"),
    ("mira-two-pages", LUMEN, "sfffsffsfsffsffsffsf"),
    ("jonas-plain", ATLAS, "sfssfsfssffsssfsfssfsfss"),
    ("jonas-letter", ATLAS, "ssfsssf"),
)
# Nobody reports for these agents: what they have begun is to be seen for as long as somebody looks around.
LEASE = timedelta(days=1)
BY = By(actor="demo", reason="made up for the demo")
WAITING = 6


async def fill(*, tables: Tables) -> None:
    """Fill the default tenant, whose postings the pages show first."""
    office = Office(tables, lease=LEASE)
    for board, company, policy in BOARDS:
        await _keep_board(office, board, company, policy)
    await _keep_people(office)
    for board in (LUMEN, ATLAS):
        for name, variant, end in _list_ends(board):
            await _finish(office, (board, name), variant, end)
    await _leave_open(office)


def _list_ends(board: str) -> list[tuple[str, str, str]]:
    """Give postings of a board, each with the variant sent there and what came of it; the variants in turn."""
    turns = zip_longest(*([(variant, end) for end in ends] for variant, where, ends in ENDS if where == board))
    given = [one for turn in turns for one in turn if one is not None]
    return [(_name(board, number), *one) for number, one in enumerate(given, start=1)]


def _name(board: str, number: int) -> str:
    return f"{board.partition('-')[0]}-{number:03}"


async def _keep_people(office: Office) -> None:
    for name, full_name, answers in PEOPLE:
        contact = f"{full_name.lower().replace(' ', '.')}@example.com"
        draft = ProfileDraft(name=name, full_name=full_name, contact=contact, answers=answers)
        await put_profile(office, DEFAULT_TENANT, draft, BY)
    for variant_id, name, note in VARIANTS:
        resume = f"resumes/{variant_id}.pdf"
        variant = VariantDraft(variant_id=variant_id, profile=name, resume=resume, note=note)
        await put_variant(office, DEFAULT_TENANT, variant, BY)


async def _keep_board(office: Office, board: str, company: str, policy: BoardPolicy) -> None:
    count = len(_list_ends(board)) + WAITING
    async with office.tables.writing(sight_of(DEFAULT_TENANT)) as transaction:
        card = BoardCard(name=board, provider="greenhouse", token=board, policy=policy, created_at=transaction.now)
        await store.add_board(transaction, card)
        for number in range(1, count + 1):
            posting = _invent(_name(board, number), number, company, transaction.now)
            content = {**store.content_row(board, posting), "digest": store.digest_of(posting)}
            await store.add_posting(transaction, board, posting.external_id, content)


def _invent(name: str, number: int, company: str, now: datetime) -> Posting:
    place, title, team = (
        PLACES[number % len(PLACES)],
        ROLES[number % len(ROLES)],
        TEAMS[number // len(ROLES) % len(TEAMS)],
    )
    return Posting(
        external_id=name,
        title=f"{title}, {team}",
        company=company,
        places=(Place(name=place),),
        workplace=Workplace.REMOTE if place.startswith("Remote") else Workplace.HYBRID if number % 3 else None,
        department=team,
        employment_type="full_time",
        pay=_invent_pay(number),
        posted=Moment(now - timedelta(days=2 + number)),
        apply_url=f"https://boards.example/{name}/apply",
        text=f"{company} looks for a {title.lower()} in the team {team}. You work with kind people.",
    )


def _invent_pay(number: int) -> Pay | None:
    """Give most postings a range, in whole thousands; some boards tell nothing."""
    least = Decimal(46_000 + 3_000 * (number % 7))
    pay = Pay(min=least, max=least + 14_000, currency="EUR", period=Period.YEAR, is_structured=True)
    return pay if number % 5 else None


async def _finish(office: Office, named: tuple[str, str], variant: str, end: str) -> None:
    board, name = named
    run_id = await _begin(office, board, name, variant)
    if end == "f":
        await _report(office, run_id, RunState.FAILED, error="the form asked for a salary, and nobody gave one")
        return
    await _report(office, run_id, RunState.SUBMITTING)
    await _report(office, run_id, RunState.SUCCESS, artifacts={"confirmation": f"thank-you-{name}"})


async def _leave_open(office: Office) -> None:
    """Leave something to do: a run under way, one whose end nobody knows, and one that waits for a person."""
    number = len(_list_ends(LUMEN))
    await _begin(office, LUMEN, _name(LUMEN, number + 1), "mira-one-page")
    silent = await _begin(office, LUMEN, _name(LUMEN, number + 2), "mira-two-pages")
    await _report(office, silent, RunState.SUBMITTING)
    await _report(office, silent, RunState.UNKNOWN, error="the browser was closed after the button was pressed")
    asking = await _begin(office, HARBOUR, _name(HARBOUR, 1), "ines-portfolio")
    answers = {"notice_period": "three months", "work_permit": "yes"}
    await _report(office, asking, None, artifacts={"answers": answers, "cover_letter": "I cook, and I count."})


async def _begin(office: Office, board: str, name: str, variant: str) -> str:
    request = ClaimRequest(run_id=f"run-{name}", job_id=name, board=board, variant_id=variant)
    await claim_posting(office, DEFAULT_TENANT, request)
    return request.run_id


async def _report(office: Office, run_id: str, state: RunState | None, **more: Any) -> None:
    await record_progress(office, DEFAULT_TENANT, ProgressReport(run_id=run_id, status=state, **more))
