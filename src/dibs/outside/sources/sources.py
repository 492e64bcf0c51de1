"""Fetching from governed sources."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from msgspec.structs import replace

from dibs.engine.admission.source import FetchReport, FetchVerdict, Permit, Source
from dibs.engine.job import Lease
from dibs.errors import LeaseLost, OutsideError, PermitRefused, ProviderFault, StoreError
from dibs.kit.log import get_logger
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.freshness import find_span, find_validators
from dibs.outside.cache.records import Kept, Page
from dibs.outside.cache.tallying import Answer
from dibs.outside.sources.flights import LEASE, Flights
from dibs.outside.sources.request import Errand, Request, SourcePolicy, make_errand
from dibs.outside.sources.response import Response, Shown, show_kept
from dibs.outside.sources.robots import Robots
from dibs.outside.sources.verdicts import Judgement, judge_answer, judge_error
from dibs.outside.transport.target import Target
from dibs.outside.transport.transport import HttpRequest, HttpResponse, Transport

log = get_logger("dibs.sources")

_UNCHANGED = 304
# What a 304 says of itself and not of the page.
_NOT_OF_THE_PAGE = {"content-length", "content-encoding", "transfer-encoding", "connection"}


class SourceStore(Protocol):
    """What is needed of a store; `backend.sources` has it."""

    async def find(self, name: str) -> Source | None:
        """Read one source."""

    async def take_permit(self, name: str, lease: Lease | None = None, *, hop_of: int | None = None) -> Permit:
        """Spend one permit now, or learn when to ask again."""

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""


class Sources:
    """The one way out for crawling.

    A page that is fresh in the cache is shown at once. Else, in this order: somebody who fetches it just now is waited
    for; robots.txt is asked; a permit is taken from the store, which keeps the pace, the quota and the breaker; the
    request goes out, with validators if there is an old page; how it went is reported; the answer is kept.
    """

    def __init__(
        self,
        store: SourceStore,
        cache: Cache,
        transport: Transport,
        *,
        policies: Mapping[str, SourcePolicy] | None = None,
        default: SourcePolicy = SourcePolicy(),  # noqa: B008 - it is frozen
    ) -> None:
        self._store = store
        self.cache = cache
        self._transport = transport
        self._policies = dict(policies or {})
        self._default = default
        self._flights = Flights(cache)
        self._robots = Robots(self._find_page, _read_agent(transport.user_agent))

    async def fetch(self, source: str, request: Request, *, lease: Lease | None = None) -> Response:
        """Bring the answer of a source to a request; in a job, pass the job's lease.

        Raises PermitRefused when the source may not be asked now, and an OutsideError when it was asked in vain. A
        status of 4xx is an answer like others.
        """
        errand = make_errand(source, request, self._policies.get(source, self._default), lease)
        shown = await self._find_page(errand)
        if request.is_repeatable and self._uses_cache(errand):
            await self.cache.note(source, _name_answer(shown))
        return Response(shown, lambda: self._note_parser_fault(errand))

    async def close(self) -> None:
        """Close the transport and the cache."""
        await self._transport.close()
        await self.cache.close()

    async def _find_page(self, errand: Errand) -> Shown:
        if not errand.request.is_repeatable:
            return await self._go_out(errand, None)
        kept = await self._look(errand)
        if kept is not None and kept.is_fresh:
            return show_kept(kept)
        return await self._flights.join(errand.slot, lambda: self._take_turn(errand))

    async def _take_turn(self, errand: Errand) -> Shown:
        if not self._uses_cache(errand):
            return await self._go_out(errand, None)
        async with self._flights.turn(errand.slot, errand.policy.rules.limits.total + LEASE):
            # Whoever had the turn before may have brought it.
            kept = await self._look(errand)
            if kept is not None and kept.is_fresh:
                return show_kept(kept)
            return await self._go_out(errand, kept)

    async def _look(self, errand: Errand) -> Kept | None:
        return await self.cache.find(errand.slot) if self._uses_cache(errand) else None

    def _uses_cache(self, errand: Errand) -> bool:
        return self.cache.is_enabled and errand.policy.cache.enabled

    async def _go_out(self, errand: Errand, kept: Kept | None) -> Shown:
        try:
            pace = await self._robots.check(errand)
            errand = await self._take_permit(errand, pace)
            answer = await self._ask(errand, kept)
        except (PermitRefused, ProviderFault):
            if kept is not None and await self._is_broken(errand.source):
                return show_kept(kept, is_stale=True)
            raise
        if answer.status == _UNCHANGED and kept is not None and answer.url == kept.page.url:
            return await self._refresh(errand, kept.page, answer)
        return await self._keep(errand, answer)

    async def _take_permit(self, errand: Errand, pace: timedelta) -> Errand:
        """Give the errand with the token under which to report on it."""
        permit = await self._store.take_permit(errand.source, errand.lease, hop_of=errand.hop_of)
        if permit.is_lease_lost:
            message = f"the job that fetches from {errand.source!r} is not ours any more; stop working on it."
            raise LeaseLost(message)
        if not permit.granted:
            raise _refusal(errand.source, permit.until)
        permitted = replace(errand, token=permit.token)
        if pace:
            # What a site asks for in its robots.txt tightens the pace for everybody, and never loosens it.
            await self._report(permitted, Judgement(FetchVerdict.LIMITED, pace))
        return permitted

    async def _follow(self, errand: Errand, there: Target) -> Errand:
        """See whether a redirect may be followed: it is one more request to the source, and counts as one.

        If nobody knows the wishes of the site it leads to, so is asking for them. Gives the errand as it goes on: a
        source that broke on the way is tried by this fetch, under another token.
        """
        hop = replace(errand, target=there, hop_of=errand.token)
        permitted = await self._take_permit(hop, await self._robots.check(hop))
        return replace(errand, token=permitted.token)

    async def _ask(self, errand: Errand, kept: Kept | None) -> HttpResponse:
        request = errand.request
        # What lies where a redirect leads today may be older than the page, and still be another one.
        conditions = {} if kept is None else {kept.page.url: find_validators(kept.page.headers)}
        outgoing = HttpRequest(
            url=errand.target.url,
            method=request.method,
            headers=request.headers,
            body=request.body,
            conditions=conditions,
        )

        async def follow(there: Target) -> None:
            nonlocal errand
            errand = await self._follow(errand, there)

        try:
            answer = await self._transport.send(outgoing, errand.policy.rules, on_redirect=follow)
        except OutsideError as error:
            verdict = judge_error(error)
            if verdict is not None:
                await self._report(errand, Judgement(verdict))
            raise
        await self._weigh(errand, answer)
        return answer

    async def _weigh(self, errand: Errand, answer: HttpResponse) -> None:
        judged = judge_answer(answer.status, answer.headers, errand.policy.longest_retry_after)
        source = await self._report(errand, judged)
        if judged.verdict is FetchVerdict.LIMITED:
            raise _refusal(errand.source, None if source is None else source.limited_until)
        if judged.verdict is FetchVerdict.PROVIDER_FAULT:
            message = f"{errand.target.origin} answered {answer.status}. Try again later."
            raise ProviderFault(message, status=answer.status)

    async def _keep(self, errand: Errand, answer: HttpResponse) -> Shown:
        page = Page(url=answer.url, status=answer.status, headers=answer.headers, body=answer.body)
        span = find_span(page.status, page.headers, errand.policy.cache, self._find_ttl(errand))
        if span is not None and errand.request.is_repeatable:
            await self.cache.keep(errand.slot, page, span)
        return Shown(page=page)

    async def _refresh(self, errand: Errand, page: Page, answer: HttpResponse) -> Shown:
        news = {name: value for name, value in answer.headers.items() if name not in _NOT_OF_THE_PAGE}
        renewed = Page(url=page.url, status=page.status, headers={**page.headers, **news}, body=page.body)
        span = find_span(renewed.status, renewed.headers, errand.policy.cache, self._find_ttl(errand))
        if span is not None:
            await self.cache.refresh(errand.slot, renewed, span)
        return Shown(page=renewed, is_revalidated=True)

    def _find_ttl(self, errand: Errand) -> timedelta:
        return errand.request.ttl or errand.policy.cache.ttl or self.cache.ttl

    async def _is_broken(self, name: str) -> bool:
        source = await self._store.find(name)
        return source is not None and source.is_broken

    async def _note_parser_fault(self, errand: Errand) -> None:
        await self._report(errand, Judgement(FetchVerdict.PARSER_FAULT))

    async def _report(self, errand: Errand, judged: Judgement) -> Source | None:
        report = FetchReport(
            source=errand.source, verdict=judged.verdict, token=errand.token, retry_after=judged.retry_after
        )
        try:
            return await self._store.report(report)
        except StoreError as error:
            # The answer is here; that its source stays in the same repute for once harms less than losing it.
            log.warning("outside.report.lost", source=errand.source, error=type(error).__name__)
            return None


def _name_answer(shown: Shown) -> Answer:
    if shown.is_cached:
        return Answer.HIT
    return Answer.REVALIDATED if shown.is_revalidated else Answer.MISS


def _refusal(source: str, until: datetime | None) -> PermitRefused:
    event = "before somebody resumes it or opens its gate, or a running job gives its permit back"
    when = event if until is None else f"before {until}"
    return PermitRefused(f"{source!r} must not be asked {when}.", source=source, until=until)


def _read_agent(user_agent: str) -> str:
    """Give the product by which robots.txt knows us."""
    return user_agent.partition("/")[0].partition(" ")[0] or user_agent
