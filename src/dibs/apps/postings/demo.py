"""Made-up postings for `dibs up --demo`: two boards, agents at work on them, one that fell silent, one that asks."""

from typing import Any

from dibs.apps.postings import store
from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.claiming import claim_posting, record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.model import Place, Posting
from dibs.apps.postings.office import DEFAULT_TENANT, Office
from dibs.apps.postings.records import BoardCard, BoardPolicy
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables

BOARDS = (
    ("lumen-labs", "Lumen Labs", BoardPolicy(approval=Approval.NEVER)),
    ("harbour-foods", "Harbour Foods", BoardPolicy(approval=Approval.EVERY_TIME)),
)
ROLES = ("Backend engineer", "Data analyst", "Site reliability engineer", "Product designer", "Recruiter", "Accountant")
TEAMS = ("Search", "Payments", "Logistics", "Platform")
PLACES = ("Lisbon", "Leipzig", "Oslo", "Remote, Europe")
VARIANTS = ("one page", "two pages")
# How the runs of the first board ended, one letter a posting: success, failed; the rest is still open.
ENDS = {"one page": "ssfssfsssfsssfssssff", "two pages": "sfffsffsfsffsffsffsf"}
WAITING = 6


async def fill(*, tables: Tables) -> None:
    """Fill the default tenant, whose postings the pages show first."""
    office = Office(tables)
    for board, company, policy in BOARDS:
        await _keep_board(office, board, company, policy)
    names = [f"lumen-{number:03}" for number in range(1, sum(map(len, ENDS.values())) + 1)]
    ends = [
        (variant, end) for pair in zip(*ENDS.values(), strict=True) for variant, end in zip(VARIANTS, pair, strict=True)
    ]
    for name, (variant, end) in zip(names, ends, strict=True):
        await _finish(office, name, variant, end)
    await _leave_open(office)


async def _keep_board(office: Office, board: str, company: str, policy: BoardPolicy) -> None:
    stem = board.partition("-")[0]
    count = sum(map(len, ENDS.values())) + WAITING if board == BOARDS[0][0] else 2 * WAITING
    async with office.tables.writing(sight_of(DEFAULT_TENANT)) as transaction:
        card = BoardCard(name=board, provider="greenhouse", token=board, policy=policy, created_at=transaction.now)
        await store.add_board(transaction, card)
        for number in range(1, count + 1):
            posting = _invent(f"{stem}-{number:03}", number, company)
            content = {**store.content_row(board, posting), "digest": store.digest_of(posting)}
            await store.add_posting(transaction, board, posting.external_id, content)


def _invent(name: str, number: int, company: str) -> Posting:
    title, team = ROLES[number % len(ROLES)], TEAMS[number // len(ROLES) % len(TEAMS)]
    return Posting(
        external_id=name,
        title=f"{title}, {team}",
        company=company,
        places=(Place(name=PLACES[number % len(PLACES)]),),
        department=team,
        apply_url=f"https://boards.example/{name}/apply",
        text=f"{company} looks for a {title.lower()} in the team {team}. You work with kind people.",
    )


async def _finish(office: Office, name: str, variant: str, end: str) -> None:
    run_id = await _begin(office, BOARDS[0][0], name, variant)
    if end == "f":
        await _report(office, run_id, RunState.FAILED, error="the form asked for a salary, and nobody gave one")
        return
    await _report(office, run_id, RunState.SUBMITTING)
    await _report(office, run_id, RunState.SUCCESS, artifacts={"confirmation": f"thank-you-{name}"})


async def _leave_open(office: Office) -> None:
    """Leave something to do: a run under way, one whose end nobody knows, and one that waits for a person."""
    first, second = BOARDS[0][0], BOARDS[1][0]
    number = sum(map(len, ENDS.values()))
    await _begin(office, first, f"lumen-{number + 1:03}", VARIANTS[0])
    silent = await _begin(office, first, f"lumen-{number + 2:03}", VARIANTS[1])
    await _report(office, silent, RunState.SUBMITTING)
    await _report(office, silent, RunState.UNKNOWN, error="the browser was closed after the button was pressed")
    asking = await _begin(office, second, "harbour-001", VARIANTS[0])
    answers = {"notice_period": "three months", "work_permit": "yes"}
    await _report(office, asking, None, artifacts={"answers": answers, "cover_letter": "I cook, and I count."})


async def _begin(office: Office, board: str, name: str, variant: str) -> str:
    request = ClaimRequest(run_id=f"run-{name}", job_id=name, board=board, variant_id=variant)
    await claim_posting(office, DEFAULT_TENANT, request)
    return request.run_id


async def _report(office: Office, run_id: str, state: RunState | None, **more: Any) -> None:
    await record_progress(office, DEFAULT_TENANT, ProgressReport(run_id=run_id, status=state, **more))
