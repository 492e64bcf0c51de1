"""Every statement on boards, postings and acts. Whose rows are meant, the transaction says."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, RowMapping, Select, func, or_, select, update

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.refusing import Sighted
from dibs.apps.postings.claims.runs import FENCED, Fence
from dibs.apps.postings.identity import company_key, describe, title_key
from dibs.apps.postings.model import CLAIMABLE, Posting, PostingState
from dibs.apps.postings.records import Act, BoardCard, BoardPolicy, RoleRule, Tracked
from dibs.apps.postings.tables import ACTS, BOARDS, POSTINGS, RUNS
from dibs.kit.ids import new_id
from dibs.storage.transaction import Transaction

MOST_ROWS = 1_000
CRAWLER = "crawler"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Posting).decode


async def find_board(transaction: Transaction, name: str, *, is_locked: bool = False) -> BoardCard | None:
    """Read one board."""
    question = select(BOARDS).where(BOARDS.c.name == name)
    row = await transaction.find(question.with_for_update() if is_locked else question)
    return None if row is None else _as_board(row)


async def find_policy(transaction: Transaction, board: str) -> BoardPolicy:
    """Read how a board is treated; as a new one, if nobody knows it."""
    card = await find_board(transaction, board)
    return BoardPolicy() if card is None else card.policy


async def add_board(transaction: Transaction, card: BoardCard) -> bool:
    """Keep a board; False when one of that name is there."""
    return await transaction.add_if_new(
        BOARDS,
        name=card.name,
        provider=card.provider,
        token=card.token,
        created_at=card.created_at,
        **_policy_row(card.policy),
    )


async def list_boards(transaction: Transaction) -> list[BoardCard]:
    """Read all boards, by name."""
    return [_as_board(row) for row in await transaction.fetch(select(BOARDS).order_by(BOARDS.c.name))]


async def find_boards_of(transaction: Transaction, rule: RoleRule) -> frozenset[str]:
    """Name the boards with a rule about roles."""
    rows = await transaction.fetch(select(BOARDS.c.name).where(BOARDS.c.role_rule == rule.value))
    return frozenset(row["name"] for row in rows)


async def set_policy(transaction: Transaction, name: str, policy: BoardPolicy) -> bool:
    """Change how a board is treated; False when there is none."""
    return await transaction.change(update(BOARDS).where(BOARDS.c.name == name).values(**_policy_row(policy))) == 1


async def note_crawl(transaction: Transaction, name: str, *, is_complete: bool) -> None:
    """Note that a board was read."""
    times = {"crawled_at": transaction.now} | ({"complete_at": transaction.now} if is_complete else {})
    await transaction.change(update(BOARDS).where(BOARDS.c.name == name).values(**times))


async def list_of_board(transaction: Transaction, board: str, *, is_locked: bool = False) -> dict[str, RowMapping]:
    """Read what decides about a listing, of every posting of a board, by its id there."""
    question = select(
        POSTINGS.c.id,
        POSTINGS.c.external_id,
        POSTINGS.c.state,
        POSTINGS.c.digest,
        POSTINGS.c.misses,
        POSTINGS.c.is_held,
        POSTINGS.c.holder,
        POSTINGS.c.expires_at,
        POSTINGS.c.applied_run,
    ).where(POSTINGS.c.board == board)
    # In the order of `lock_role`, so that a crawl and a claim wait for each other instead of one giving up.
    rows = await transaction.fetch(_lock(question.order_by(POSTINGS.c.id), is_locked))
    return {row["external_id"]: row for row in rows}


async def add_posting(transaction: Transaction, board: str, external_id: str, content: Mapping[str, str]) -> bool:
    """Keep a new posting; False when somebody else kept it meanwhile.

    The content is a `content_row` with the `digest` of its row in the listing.
    """
    times = dict.fromkeys(("first_seen_at", "last_seen_at", "changed_at", "state_at"), transaction.now)
    return await transaction.add_if_new(
        POSTINGS,
        id=new_id(),
        board=board,
        external_id=external_id,
        state=PostingState.DISCOVERED.value,
        reason="",
        misses=0,
        token=0,
        is_held=False,
        **times,
        **content,
    )


async def change_content(transaction: Transaction, posting_id: str, content: Mapping[str, str]) -> None:
    """Keep what a board says now."""
    change = update(POSTINGS).where(POSTINGS.c.id == posting_id)
    await transaction.change(change.values(changed_at=transaction.now, **content))


async def mark_seen(transaction: Transaction, ids: Sequence[str]) -> None:
    """Note that postings are listed."""
    for start in range(0, len(ids), MOST_ROWS):
        part = POSTINGS.c.id.in_(ids[start : start + MOST_ROWS])
        await transaction.change(update(POSTINGS).where(part).values(last_seen_at=transaction.now, misses=0))


async def mark_missed(transaction: Transaction, posting_id: str, misses: int) -> None:
    """Note that a complete listing lacked a posting."""
    await transaction.change(update(POSTINGS).where(POSTINGS.c.id == posting_id).values(misses=misses))


async def move_state(transaction: Transaction, posting_id: str, state: PostingState, reason: str) -> None:
    """Move a posting whose row is locked by this transaction."""
    values = {"state": state.value, "reason": reason, "state_at": transaction.now}
    await transaction.change(update(POSTINGS).where(POSTINGS.c.id == posting_id).values(**values))


async def find_posting(transaction: Transaction, posting_id: str, *, is_locked: bool = False) -> Tracked | None:
    """Read one posting by our own id."""
    row = await transaction.find(_lock(select(POSTINGS).where(POSTINGS.c.id == posting_id), is_locked))
    return None if row is None else as_tracked(row)


async def find_named(
    transaction: Transaction, external_id: str, board: str | None = None, *, is_locked: bool = False
) -> list[Tracked]:
    """Read the postings with an id of a board: of one board, by its name or its provider, or of any."""
    question = select(POSTINGS).where(POSTINGS.c.external_id == external_id).order_by(POSTINGS.c.id).limit(10)
    if board is None:
        return [as_tracked(row) for row in await transaction.fetch(_lock(question, is_locked))]
    row = await transaction.find(_lock(question.where(POSTINGS.c.board == board), is_locked))
    if row is not None:
        return [as_tracked(row)]
    cards = await transaction.fetch(select(BOARDS.c.name).where(BOARDS.c.provider == board))
    names = [card["name"] for card in cards]
    question = question.where(POSTINGS.c.board.in_(names))
    return [as_tracked(row) for row in await transaction.fetch(_lock(question, is_locked))] if names else []


async def list_sighted(
    transaction: Transaction, named: Collection[tuple[str, str]]
) -> dict[tuple[str, str], list[Sighted]]:
    """Read who has postings, by the names that they go by: that of their board, else of its provider, and their ids."""
    found: dict[tuple[str, str], list[Sighted]] = {one: [] for one in named}
    await _sight(transaction, found, {board: board for board, _ in named})
    missing = {one: postings for one, postings in found.items() if not postings}
    if missing:
        is_provider = BOARDS.c.provider.in_({board for board, _ in missing})
        cards = await transaction.fetch(select(BOARDS.c.name, BOARDS.c.provider).where(is_provider))
        await _sight(transaction, missing, {card["name"]: card["provider"] for card in cards})
    return found


async def _sight(
    transaction: Transaction, found: Mapping[tuple[str, str], list[Sighted]], called: Mapping[str, str]
) -> None:
    """Add the postings of boards to those who go by the names that these are called by."""
    ids = {external_id for _, external_id in found}
    question = select(*(POSTINGS.c[name] for name in Sighted.__struct_fields__))
    question = question.where(POSTINGS.c.external_id.in_(ids), POSTINGS.c.board.in_(called)).order_by(POSTINGS.c.id)
    for row in await transaction.fetch(question) if called else ():
        sighted = Sighted(**{**row, "state": PostingState(row["state"])})
        found.get((called[sighted.board], sighted.external_id), []).append(sighted)


async def list_named(transaction: Transaction, named: Collection[tuple[str, str]]) -> list[Tracked]:
    """Read postings by the names of their boards and their ids there."""
    boards, ids = {board for board, _ in named}, sorted({external_id for _, external_id in named})
    question = select(POSTINGS).where(POSTINGS.c.board.in_(boards))
    parts = [ids[start : start + MOST_ROWS] for start in range(0, len(ids), MOST_ROWS)]
    rows = [row for part in parts for row in await transaction.fetch(question.where(POSTINGS.c.external_id.in_(part)))]
    return [as_tracked(row) for row in rows if (row["board"], row["external_id"]) in named]


async def lock_free(transaction: Transaction, ids: Sequence[str]) -> dict[str, int]:
    """Lock those postings that nobody has, and give their tokens. What others have locked is left out, not awaited."""
    is_claimable = POSTINGS.c.state.in_([state.value for state in CLAIMABLE])
    is_free = POSTINGS.c.holder.is_(None) & POSTINGS.c.applied_run.is_(None) & ~POSTINGS.c.is_held & is_claimable
    question = select(POSTINGS.c.id, POSTINGS.c.token).where(POSTINGS.c.id.in_(ids), is_free)
    return {row["id"]: row["token"] for row in await transaction.fetch(question.with_for_update(skip_locked=True))}


async def take_free(transaction: Transaction, ids: Sequence[str], expires_at: datetime) -> int:
    """Give postings that are locked each to the run that was kept for it, under its next token; tells how many."""
    is_next = (RUNS.c.posting_id == POSTINGS.c.id) & (RUNS.c.token == POSTINGS.c.token + 1)
    holder = select(RUNS.c.run_id).where(is_next).correlate(POSTINGS).scalar_subquery()
    values = {"holder": holder, "token": POSTINGS.c.token + 1, "state": PostingState.QUEUED.value, "reason": ""}
    change = update(POSTINGS).where(POSTINGS.c.id.in_(ids), POSTINGS.c.holder.is_(None))
    return await transaction.change(change.values(**values, expires_at=expires_at, state_at=transaction.now))


async def list_postings(
    transaction: Transaction, filters: Mapping[str, Any], *, after: str = "", limit: int = 50
) -> list[Tracked]:
    """Read postings in the order they were found, from a place on."""
    question = select(POSTINGS).where(POSTINGS.c.id > after)
    for name in ("state", "board", "is_held", "role"):
        if filters.get(name) is not None:
            question = question.where(POSTINGS.c[name] == filters[name])
    if filters.get("words"):
        question = question.where(_says(filters["words"]))
    if filters.get("is_claimable"):
        question = question.where(_is_claimable(transaction.now))
    rows = await transaction.fetch(question.order_by(POSTINGS.c.id).limit(min(limit, MOST_ROWS)))
    return [as_tracked(row) for row in rows]


def _says(words: str) -> ColumnElement[bool]:
    """Postings of that id, or with those words in their title or company, whatever their case and accents."""
    keys = {company_key(words), title_key(words)} - {""}
    in_role = [POSTINGS.c.role.contains(key, autoescape=True) for key in keys]
    # SQLite knows upper from lower case in ASCII only.
    writings = {words, words.lower(), words.upper(), words.title()} if not words.isascii() else {words}
    in_title = [POSTINGS.c.title.icontains(one, autoescape=True) for one in writings]
    return or_(POSTINGS.c.external_id == words, *in_title, *in_role)


async def count_states(transaction: Transaction, most: int) -> dict[PostingState, int] | None:
    """Count postings by state; None where there are more than so many, which takes too long to be counted."""
    counts = {}
    for state in PostingState:
        some = select(POSTINGS.c.id).where(POSTINGS.c.state == state.value).limit(most + 1).subquery()
        row = await transaction.find(select(func.count().label("rows")).select_from(some))
        counts[state] = 0 if row is None else row["rows"]
        if sum(counts.values()) > most:
            return None
    return counts


def _is_claimable(now: datetime) -> ColumnElement[bool]:
    """Postings that nobody has, and that no run may have applied to."""
    is_open = POSTINGS.c.state.in_([state.value for state in CLAIMABLE])
    is_unheld = POSTINGS.c.applied_run.is_(None) & ~POSTINGS.c.is_held
    is_left = POSTINGS.c.holder.is_not(None) & (POSTINGS.c.expires_at <= now) & ~_may_have_submitted()
    return is_open & is_unheld & or_(POSTINGS.c.holder.is_(None), is_left)


def _may_have_submitted() -> ColumnElement[bool]:
    """Postings whose agent, if it fell silent, may have submitted."""
    fenced = select(RUNS.c.run_id).where(RUNS.c.state.in_([state.value for state in FENCED]))
    strict = select(BOARDS.c.name).where(BOARDS.c.fence == Fence.REQUIRED.value)
    return or_(POSTINGS.c.holder.in_(fenced), POSTINGS.c.board.in_(strict))


async def list_role(transaction: Transaction, role: str, but_not: str) -> list[Tracked]:
    """Read other postings of one role that were applied to, or are being applied to."""
    busy = or_(POSTINGS.c.applied_run.is_not(None), POSTINGS.c.holder.is_not(None))
    question = select(POSTINGS).where(POSTINGS.c.role == role, POSTINGS.c.id != but_not, busy)
    return [as_tracked(row) for row in await transaction.fetch(question.limit(20))] if role else []


async def list_roles(transaction: Transaction, roles: Collection[str], limit: int) -> list[Tracked]:
    """Read postings of some roles that were applied to, or are being applied to."""
    busy = or_(POSTINGS.c.applied_run.is_not(None), POSTINGS.c.holder.is_not(None))
    question = select(POSTINGS).where(POSTINGS.c.role.in_(roles), busy).limit(limit)
    return [as_tracked(row) for row in await transaction.fetch(question)] if roles else []


async def lock_role(transaction: Transaction, role: str) -> None:
    """Let claims of one role wait for each other: else two of them at once would both be the first."""
    if role:
        # In one order, and before any other row: whoever locks one of them already would be waited for in a circle.
        await transaction.fetch(
            _lock(select(POSTINGS.c.id).where(POSTINGS.c.role == role).order_by(POSTINGS.c.id), True)
        )


async def list_lapsed(transaction: Transaction, limit: int) -> list[str]:
    """Name postings whose claim has lapsed after its agent may have submitted, and that nobody has judged yet."""
    is_lapsed = (POSTINGS.c.expires_at <= transaction.now) & POSTINGS.c.holder.is_not(None) & ~POSTINGS.c.is_held
    question = select(POSTINGS.c.id).where(is_lapsed, _may_have_submitted())
    rows = await transaction.fetch(question.order_by(POSTINGS.c.expires_at).limit(limit))
    return [row["id"] for row in rows]


async def take_claim(
    transaction: Transaction, tracked: Tracked, run_id: str, expires_at: datetime, *, state: PostingState
) -> bool:
    """Give a posting to a run, if nobody was quicker: its token must still be the one that was judged."""
    change = update(POSTINGS).where(POSTINGS.c.id == tracked.id, POSTINGS.c.token == tracked.token)
    values = {"holder": run_id, "token": tracked.token + 1, "expires_at": expires_at, "state": state.value}
    return await transaction.change(change.values(**values, reason="", state_at=transaction.now)) == 1


async def write_claim(transaction: Transaction, tracked: Tracked, **values: Any) -> bool:
    """Change the claim of a posting as its holder: only under the token that the holder has."""
    change = update(POSTINGS).where(POSTINGS.c.id == tracked.id, POSTINGS.c.token == tracked.token)
    return await transaction.change(change.values(**values)) == 1


async def add_act(transaction: Transaction, posting_id: str, action: str, *, actor: str, reason: str) -> None:
    """Note what somebody did; what people do is brought to the audit log later."""
    row = {"posting_id": posting_id, "action": action, "actor": actor, "reason": reason}
    await transaction.add(ACTS, id=new_id(), at=transaction.now, is_forwarded=actor == CRAWLER, **row)


async def list_unforwarded(transaction: Transaction) -> list[Act]:
    """Read what is not in the audit log yet, oldest first."""
    question = select(ACTS).where(~ACTS.c.is_forwarded).order_by(ACTS.c.id).limit(MOST_ROWS)
    return [_as_act(row) for row in await transaction.fetch(question)]


async def mark_forwarded(transaction: Transaction, ids: Sequence[str]) -> None:
    """Note that acts are in the audit log."""
    await transaction.change(update(ACTS).where(ACTS.c.id.in_(ids)).values(is_forwarded=True))


async def list_acts(transaction: Transaction, posting_id: str) -> list[Act]:
    """Read what people did to a posting, oldest first."""
    rows = await transaction.fetch(select(ACTS).where(ACTS.c.posting_id == posting_id).order_by(ACTS.c.id))
    return [_as_act(row) for row in rows]


def digest_of(posting: Posting) -> str:
    """Give the hash of what a listing says. When it was posted is left out: "8 days ago" changes by itself."""
    steady = msgspec.structs.replace(posting, posted=None)
    return sha256(_encode(steady)).hexdigest()


def as_tracked(row: RowMapping) -> Tracked:
    """Read a row."""
    facts = {name: row[name] for name in Tracked.__struct_fields__ if name not in ("posting", "state")}
    return Tracked(**facts, state=PostingState(row["state"]), posting=read_content(row["content"]))


def read_content(content: str) -> Posting:
    """Read what `content_row` wrote of what a board says."""
    return _decode(content)


def _as_act(row: RowMapping) -> Act:
    return Act(**{name: row[name] for name in Act.__struct_fields__})


def _lock(question: Select[Any], is_locked: bool) -> Select[Any]:
    return question.with_for_update() if is_locked else question


def content_row(board: str, posting: Posting) -> dict[str, str]:
    """Write what is kept of what a board says."""
    face = describe(board, posting)
    return {
        "title": posting.title,
        "role": face.role,
        "content": _encode(posting).decode(),
        "sketch": face.sketch.hex(),
    }


def _policy_row(policy: BoardPolicy) -> dict[str, str]:
    return {"fence": policy.fence.value, "approval": policy.approval.value, "role_rule": policy.role_rule.value}


def _as_board(row: RowMapping) -> BoardCard:
    policy = BoardPolicy(
        fence=Fence(row["fence"]), approval=Approval(row["approval"]), role_rule=RoleRule(row["role_rule"])
    )
    facts = {name: row[name] for name in BoardCard.__struct_fields__ if name != "policy"}
    return BoardCard(**facts, policy=policy)
