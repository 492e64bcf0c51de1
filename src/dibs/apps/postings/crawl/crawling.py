"""Reading a board: page by page through the one way out, then written in one transaction."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import random
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping

from dibs.apps.postings import store
from dibs.apps.postings.boards.board import About, Board, BoardRequest, Page
from dibs.apps.postings.boards.paging import Enumeration, break_off, take_page
from dibs.apps.postings.boards.shelf import add_detail, get_board, keep_told, read_page
from dibs.apps.postings.crawl.listing import Change, Known, Verdict, reconcile
from dibs.apps.postings.model import Posting, PostingState, Trigger, move_posting
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import BoardCard, BoardPolicy
from dibs.engine.job import Lease
from dibs.errors import BadInput, OutsideError, PermitRefused
from dibs.kit.clock import utc_now
from dibs.outside.sources.request import Request
from dibs.outside.sources.response import Response
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction

# An interface for programs, asked by the page: so many details a crawl, and the rest the next time.
MOST_DETAILS = 200
_LACKED = "two complete listings lacked it"
# Before the digest of a posting whose detail did not come: no listing has such a digest, so it is asked for again.
_WAITS = "?"
_SEEN = (Change.SEEN, Change.CHANGED, Change.REOPENED)
# Shorter pauses are waited out here; for a longer one the job is put aside.
_SHORT = timedelta(seconds=5)
_MOST_WAITS = 3


class Fetcher(Protocol):
    """What is needed of the sources; `dibs.outside.sources.Sources` has it."""

    async def fetch(self, source: str, request: Request, *, lease: Lease | None = None) -> Response:
        """Bring the answer of a source."""


class CrawlOrder(Struct, frozen=True, kw_only=True):
    """Which board to read. `name` is what we call it, its token if it is not given."""

    provider: str
    token: str
    name: str = ""
    company: str | None = None
    lease: Lease | None = None

    @property
    def board(self) -> str:
        """What we call the board."""
        return self.name or self.token


class CrawlOutcome(Struct, frozen=True, kw_only=True):
    """What a crawl has brought. `doubts` say why nothing can be concluded from what the listing lacks."""

    board: str
    listed: int
    pages: int
    is_complete: bool
    changes: dict[str, int]
    faults: int = 0
    doubts: list[str] = []


class _Reading(Struct, frozen=True, kw_only=True):
    listing: Enumeration
    digests: dict[str, str]
    waiting: frozenset[str] = frozenset()
    refusal: PermitRefused | None = None


async def crawl_board(office: Office, fetcher: Fetcher, tenant: str, order: CrawlOrder) -> CrawlOutcome:
    """Read a board and keep what it says. Doing it twice changes nothing but when postings were seen last.

    Raises PermitRefused when the source asks for a pause; what was read by then is kept.
    """
    adapter = get_board(order.provider)
    card = await _keep_board(office, tenant, adapter, order)
    trip = _Trip(fetcher, tenant, adapter, order)
    listing = await trip.read_listing(card.crawled_at)
    known = await _read_known(office, tenant, order.board)
    reading = await _keep_told(office, tenant, order.board, await trip.read_details(listing, known))
    verdicts = await _write(office, tenant, order.board, reading, known)
    if reading.refusal is not None:
        raise reading.refusal
    changes = {change.value: sum(one.change is change for one in verdicts) for change in Change}
    return CrawlOutcome(
        board=order.board,
        listed=len(listing.listed_ids),
        pages=listing.pages,
        is_complete=listing.is_complete,
        changes=changes,
        faults=len(listing.faults),
        doubts=list(listing.doubts),
    )


class _Trip:
    """One way through a board."""

    def __init__(self, fetcher: Fetcher, tenant: str, adapter: Board, order: CrawlOrder) -> None:
        self._fetcher = fetcher
        self._tenant = tenant
        self._adapter = adapter
        self._order = order
        self._about = About(now=utc_now(), token=order.token, company=order.company)

    async def read_listing(self, crawled_at: datetime | None) -> Enumeration:
        """Read all pages. One that does not come ends it: what was read is kept, nothing is concluded from the rest."""
        listing = Enumeration()
        while (step := listing.next_step) is not None:
            try:
                response = await self._fetch(self._adapter.ask_page(self._order.token, step))
            except OutsideError as error:
                if listing.pages == 0:
                    raise
                return break_off(listing, f"page {listing.pages + 1} did not come ({type(error).__name__})")
            listing = await self._take(listing, response, crawled_at)
        return listing

    async def _take(self, listing: Enumeration, response: Response, crawled_at: datetime | None) -> Enumeration:
        if not response.is_good:
            return break_off(listing, f"page {listing.pages + 1} was answered with {response.status}")
        page = await self._read(response)
        listing = take_page(listing, self._adapter, page)
        is_old = crawled_at is not None and utc_now() - response.age <= crawled_at
        if response.is_stale or (response.is_cached and is_old):
            # It has been looked at before: lacking a posting twice in one answer is lacking it once.
            return break_off(listing, "a page of an earlier crawl, out of the cache")
        return listing

    async def read_details(self, listing: Enumeration, known: Mapping[str, Known]) -> _Reading:
        """Ask for the details of what is new or has changed, where the listing does not tell everything."""
        digests = {posting.external_id: store.digest_of(posting) for posting in listing.postings}
        if not self._adapter.has_details:
            return _Reading(listing=listing, digests=digests)
        news = [posting for posting in listing.postings if _is_news(posting, known, digests)]
        news.sort(key=lambda posting: _rank(known.get(posting.external_id)))
        details, refusal = await self._find_details(news[:MOST_DETAILS], digests)
        waiting = {posting.external_id for posting in news} - details.keys()
        digests |= {name: _WAITS + digests[name] for name in waiting}
        whole = (add_detail(one, details.get(one.external_id, one)) for one in listing.postings)
        return _Reading(
            listing=replace(listing, postings=tuple(one for one in whole if one.is_open)),
            digests=digests,
            waiting=frozenset(name for name in waiting & known.keys() if known[name].digest != digests[name]),
            refusal=refusal,
        )

    async def _find_details(
        self, news: Sequence[Posting], digests: Mapping[str, str]
    ) -> tuple[dict[str, Posting], PermitRefused | None]:
        """Ask for details by the ids of their postings, until the source asks for a pause."""
        found: dict[str, Posting] = {}
        for posting in news:
            detail, refusal = await self._find_detail(posting, digests[posting.external_id])
            if refusal is not None:
                return found, refusal
            if detail is not None:
                found[posting.external_id] = detail
        return found, None

    async def _find_detail(self, posting: Posting, digest: str) -> tuple[Posting | None, PermitRefused | None]:
        request = self._adapter.ask_detail(self._order.token, posting)
        if request is None:
            return posting, None
        try:
            # A detail that the cache has from before the listing changed would undo the change.
            response = await self._fetch(request, key=f"{request.url}|{digest}")
        except PermitRefused as refusal:
            return None, refusal
        except OutsideError:
            return None, None
        page = await self._read(response) if response.is_good else Page()
        # Those that are found by a path may go by another id than their row in the listing.
        is_by_path = posting.detail_path is not None
        details = (one for one in page.postings if is_by_path or one.external_id == posting.external_id)
        return next(details, None), None

    async def _read(self, response: Response) -> Page:
        # Long texts take their time, and others are waiting for this thread.
        page = await asyncio.to_thread(read_page, self._adapter, response.body, self._about)
        if not page.is_listing:
            await response.report_parser_fault()
        return page

    async def _fetch(self, asked: BoardRequest, *, key: str = "") -> Response:
        request = Request(
            url=asked.url,
            method=asked.method,
            headers=asked.headers,
            body=asked.body,
            tenant=self._tenant,
            # What is asked with POST here changes nothing, and may be answered from the cache.
            key=key or ("" if asked.method == "GET" else f"{asked.url}|{asked.body.decode()}"),
        )
        for _ in range(_MOST_WAITS):
            try:
                return await self._fetcher.fetch(self._adapter.name, request, lease=self._order.lease)
            except PermitRefused as refusal:
                pause = _SHORT * 2 if refusal.until is None else refusal.until - utc_now()
                if pause > _SHORT:
                    raise
                await asyncio.sleep(max(pause.total_seconds(), 0))
        return await self._fetcher.fetch(self._adapter.name, request, lease=self._order.lease)


async def _keep_board(office: Office, tenant: str, adapter: Board, order: CrawlOrder) -> BoardCard:
    async with office.tables.writing(sight_of(tenant)) as transaction:
        card = BoardCard(
            name=order.board,
            provider=adapter.name,
            token=order.token,
            policy=BoardPolicy(),
            created_at=transaction.now,
        )
        if await store.add_board(transaction, card):
            return card
        known = await store.find_board(transaction, order.board)
    if known is None or (known.provider, known.token) != (adapter.name, order.token):
        message = f"there is another board called {order.board!r}. Give this one a name of its own."
        raise BadInput(message)
    return known


async def _read_known(office: Office, tenant: str, board: str) -> dict[str, Known]:
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return _as_known(await store.list_of_board(transaction, board), transaction.now)


async def _keep_told(office: Office, tenant: str, board: str, reading: _Reading) -> _Reading:
    """Add what details told earlier to what listings say now of postings whose details did not come."""
    if not reading.waiting:
        return reading
    async with office.tables.reading(sight_of(tenant)) as transaction:
        named = {(board, name) for name in reading.waiting}
        old = {one.external_id: one.posting for one in await store.list_named(transaction, named)}
    told = (keep_told(one, old.get(one.external_id, one)) for one in reading.listing.postings)
    return replace(reading, listing=replace(reading.listing, postings=tuple(told)))


def _as_known(rows: Mapping[str, RowMapping], now: datetime) -> dict[str, Known]:
    return {
        name: Known(
            state=PostingState(row["state"]),
            digest=row["digest"],
            misses=row["misses"],
            is_busy=row["is_held"] or (row["expires_at"] is not None and row["expires_at"] > now),
        )
        for name, row in rows.items()
    }


async def _write(
    office: Office, tenant: str, board: str, reading: _Reading, known: Mapping[str, Known]
) -> list[Verdict]:
    news = [one for one in reading.listing.postings if _is_news(one, known, reading.digests)]
    # Before the transaction: comparing texts takes longer than writing them.
    prepared = await asyncio.to_thread(lambda: {one.external_id: store.content_row(board, one) for one in news})
    async with office.tables.writing(sight_of(tenant)) as transaction:
        # One crawl of a board writes after the other: two that add the same postings would wait for each other.
        await store.find_board(transaction, board, is_locked=True)
        rows = await store.list_of_board(transaction, board, is_locked=True)
        digests = {name: _find_whole(rows.get(name), digest) for name, digest in reading.digests.items()}
        verdicts = reconcile(_as_known(rows, transaction.now), reading.listing, digests)
        desk = _Desk(transaction, board, prepared, digests)
        for verdict in verdicts:
            await desk.write(verdict, rows.get(verdict.external_id))
        await store.mark_seen(transaction, [rows[one.external_id]["id"] for one in verdicts if one.change in _SEEN])
        await store.note_crawl(transaction, board, is_complete=reading.listing.is_complete)
    return verdicts


def _is_news(posting: Posting, known: Mapping[str, Known], digests: Mapping[str, str]) -> bool:
    old = known.get(posting.external_id)
    return old is None or old.digest != digests[posting.external_id]


def _find_whole(row: RowMapping | None, digest: str) -> str:
    """Give the digest of what stands there, if another crawl has brought the detail meanwhile that this one lacks."""
    is_there = row is not None and digest == _WAITS + row["digest"]
    return digest.removeprefix(_WAITS) if is_there else digest


def _rank(known: Known | None) -> float:
    """Let those come first that had to wait, among them by chance: whatever changes each time, none does for ever."""
    # An older release kept no digest at all.
    is_waiting = known is not None and (not known.digest or known.digest.startswith(_WAITS))
    return random() if is_waiting else 1  # noqa: S311 - a lot, no secret


class _Desk:
    """Writes verdicts in one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        board: str,
        prepared: Mapping[str, dict[str, Any]],
        digests: Mapping[str, str],
    ) -> None:
        self._transaction = transaction
        self._board = board
        self._prepared = prepared
        self._digests = digests

    async def write(self, verdict: Verdict, row: RowMapping | None) -> None:
        """Write what a listing means for one posting."""
        if row is None:
            if verdict.posting is not None:
                await self._add(verdict.posting)
            return
        if verdict.change in (Change.CHANGED, Change.REOPENED) and verdict.posting is not None:
            await self._change(row, verdict.posting)
        if verdict.change is Change.REOPENED:
            has_run, was_applied = row["holder"] is not None, row["applied_run"] is not None
            old = PostingState(row["state"])
            state = move_posting(old, Trigger.REOPENED, has_other_runs=has_run, was_applied=was_applied)
            await self._move(row, state, "listed again")
        elif verdict.change in (Change.MISSED, Change.EXPIRED):
            await store.mark_missed(self._transaction, row["id"], verdict.misses)
        if verdict.change is Change.EXPIRED:
            await self._move(row, move_posting(PostingState(row["state"]), Trigger.EXPIRED), _LACKED)

    async def _add(self, posting: Posting) -> None:
        row, digest = self._describe(posting), self._digests[posting.external_id]
        await store.add_posting(self._transaction, self._board, posting.external_id, {**row, "digest": digest})

    async def _change(self, row: RowMapping, posting: Posting) -> None:
        digest = self._digests[posting.external_id]
        if digest != row["digest"]:
            await store.change_content(self._transaction, row["id"], {**self._describe(posting), "digest": digest})

    def _describe(self, posting: Posting) -> dict[str, Any]:
        return self._prepared.get(posting.external_id) or store.content_row(self._board, posting)

    async def _move(self, row: RowMapping, state: PostingState | None, reason: str) -> None:
        if state is not None:
            await store.move_state(self._transaction, row["id"], state, reason)
            action = f"POSTING_{state.name}"
            await store.add_act(self._transaction, row["id"], action, actor=store.CRAWLER, reason=reason)
