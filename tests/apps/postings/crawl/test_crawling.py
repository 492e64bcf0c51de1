"""Crawling keeps what boards say; twice changes nothing but when postings were seen."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from dibs.apps.postings import store
from dibs.apps.postings.crawl import crawling
from dibs.apps.postings.crawl.crawling import CrawlOrder, crawl_board
from dibs.errors import BadInput, PermitRefused, ProviderFault
from dibs.outside.cache.records import Page
from dibs.outside.sources.request import SourcePolicy, make_errand
from dibs.outside.sources.response import Response, Shown
from dibs.storage.sight import sight_of
from tests.apps.postings.agents import claim, report
from tests.apps.postings.boards import payloads
from tests.apps.postings.conftest import FREE, TENANT, find

ORDER = CrawlOrder(provider="greenhouse", token="ramp")


class FakeBoard:
    """A board whose answers a test sets; an error is raised instead."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def fetch(self, source, request, *, lease=None):
        self.asked.append((source, request))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def answer(document, status=200, **shown):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    page = Page(url="https://board", status=status, headers={}, body=body)

    async def report_fault():
        return None

    return Response(Shown(page=page, **shown), report_fault)


def listing(*ids, total=None, **more):
    rows = [{"id": name, "title": f"Cook {name}", "company_name": "Ibis", "content": "x", **more} for name in ids]
    return {"jobs": rows, "meta": {"total": len(ids) if total is None else total}}


async def crawl(office, *answers, order=ORDER):
    return await crawl_board(office, FakeBoard(*answers), TENANT, order)


async def read_all(office):
    async with office.tables.reading(sight_of(TENANT)) as transaction:
        return {one.external_id: one for one in await store.list_postings(transaction, {})}


async def free(office, board="ramp"):
    """Let agents submit without asking."""
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        await store.set_policy(transaction, board, FREE)


async def test_a_crawl_keeps_what_is_new(office):
    outcome = await crawl(office, answer(payloads.GREENHOUSE))
    assert (outcome.is_complete, outcome.changes["new"], outcome.listed) == (True, 2, 2)
    tracked = await find(office, "4400123")
    assert (tracked.state, tracked.title, tracked.posting.company) == (
        "discovered",
        "Staff Engineer & Lead",
        "Heron Freight",
    )


async def test_crawling_twice_changes_nothing_but_when_it_was_seen(office, clock):
    await crawl(office, answer(payloads.GREENHOUSE))
    before = await read_all(office)
    clock.advance(timedelta(hours=2))
    outcome = await crawl(office, answer(payloads.GREENHOUSE))
    after = await read_all(office)
    assert outcome.changes["seen"] == 2
    for name, old in before.items():
        new = after[name]
        differing = {field for field in old.__struct_fields__ if getattr(old, field) != getattr(new, field)}
        assert differing == {"last_seen_at"}


async def test_a_change_of_content_is_kept(office):
    await crawl(office, answer(listing("1")))
    outcome = await crawl(office, answer(listing("1", title="Head cook")))
    assert outcome.changes["changed"] == 1
    assert (await find(office, "1")).title == "Head cook"


async def test_two_complete_listings_without_it_expire_a_posting_and_a_return_reopens_it(office):
    await crawl(office, answer(listing("1", "2")))
    assert (await crawl(office, answer(listing("2")))).changes["missed"] == 1
    assert (await find(office, "1")).state == "discovered"
    assert (await crawl(office, answer(listing("2")))).changes["expired"] == 1
    gone = await find(office, "1")
    assert (gone.state, gone.reason) == ("expired", "two complete listings lacked it")
    assert (await crawl(office, answer(listing("1", "2")))).changes["reopened"] == 1
    assert (await find(office, "1")).state == "discovered"


@pytest.mark.parametrize(
    "second",
    [
        answer(listing("2", total=9)),
        answer({"jobs": [], "meta": {"total": 0}}),
        answer({"error": "x"}, status=404),
        answer(b"<html>maintenance</html>"),
        answer({"jobs": [{"id": 2, "title": "x"}, {"title": "no id"}]}),
    ],
    ids=["truncated", "empty", "refused", "html", "row without id"],
)
async def test_a_listing_that_proves_nothing_expires_nothing(office, second):
    await crawl(office, answer(listing("1", "2")))
    for _ in range(4):
        outcome = await crawl(office, second)
        assert not outcome.is_complete
    assert (await find(office, "1")).state == "discovered"
    assert (await find(office, "1")).misses == 0


@pytest.mark.parametrize("error", [PermitRefused("wait"), ProviderFault("500", status=500)], ids=["429", "500"])
async def test_a_refused_or_failed_listing_is_raised_and_changes_nothing(office, error):
    await crawl(office, answer(listing("1")))
    before = await read_all(office)
    with pytest.raises(type(error)):
        await crawl(office, error)
    assert await read_all(office) == before


async def test_a_later_page_that_fails_keeps_the_pages_before_and_expires_nothing(office):
    order = CrawlOrder(provider="lever", token="plover")
    rows = [{"id": f"id-{n}", "text": "Cook"} for n in range(100)]
    outcome = await crawl(office, answer(rows), ProviderFault("reset"), order=order)
    assert (outcome.changes["new"], outcome.is_complete) == (100, False)
    assert outcome.doubts == ["page 2 did not come (ProviderFault)"]


async def test_one_answer_out_of_the_cache_does_not_count_twice(office):
    await crawl(office, answer(listing("1", "2")))
    for _ in range(3):
        cached = answer(listing("2"), is_cached=True, age=timedelta(days=400))
        outcome = await crawl(office, cached)
        assert not outcome.is_complete
    assert (await find(office, "1")).misses == 0


async def test_pages_of_this_crawl_may_come_out_of_the_cache(office):
    # A crawl that was put aside goes on with the pages that it has read.
    outcome = await crawl(office, answer(listing("1"), is_cached=True, age=timedelta(seconds=1)))
    assert outcome.is_complete


async def test_what_was_applied_to_is_never_offered_again_whatever_the_board_does(office):
    await crawl(office, answer(listing("1", "2")))
    await free(office)
    await claim(office, job_id="1")
    await report(office, status="success")
    for ids in (("2",), ("2",), ("2",), ("1", "2"), ("2",), ("1", "2")):
        await crawl(office, answer(listing(*ids)))
        assert (await find(office, "1")).state == "applied"


async def test_what_an_agent_has_does_not_expire_under_it(office, clock):
    await crawl(office, answer(listing("1", "2")))
    await free(office)
    await claim(office, job_id="1")
    for _ in range(3):
        await crawl(office, answer(listing("2")))
    assert (await find(office, "1")).state == "queued"
    await report(office, status="failed")
    await crawl(office, answer(listing("2")))
    assert (await find(office, "1")).state == "expired"


async def test_what_a_slow_agent_still_has_is_queued_when_it_is_listed_again(office, clock):
    await crawl(office, answer(listing("1", "2")))
    await free(office)
    await claim(office, job_id="1")
    clock.advance(timedelta(minutes=6))
    for _ in range(2):
        await crawl(office, answer(listing("2")))
    assert (await find(office, "1")).state == "expired"
    await report(office, artifacts={"notes": "still at it"})
    await crawl(office, answer(listing("1", "2")))
    assert (await find(office, "1")).state == "queued"
    await report(office, status="success")
    assert (await find(office, "1")).state == "applied"


async def test_a_name_that_another_board_has_is_refused(office):
    await crawl(office, answer(listing("1")))
    with pytest.raises(BadInput, match="another board called 'ramp'"):
        await crawl(office, answer([]), order=CrawlOrder(provider="lever", token="ramp"))
    named = CrawlOrder(provider="lever", token="ramp", name="ramp-lever")
    await crawl(office, answer([{"id": "1", "text": "Cook"}]), order=named)
    assert (await find(office, "1", "ramp-lever")).title == "Cook"


SMART = CrawlOrder(provider="smartrecruiters", token="Wren")


async def test_details_are_asked_for_what_is_new_and_only_then(office):
    board = FakeBoard(answer(payloads.SMARTRECRUITERS), answer(payloads.SMARTRECRUITERS_DETAIL))
    await crawl_board(office, board, TENANT, SMART)
    tracked = await find(office, "743999912345678", "Wren")
    assert "Un hôpital" in tracked.posting.text
    again = FakeBoard(answer(payloads.SMARTRECRUITERS))
    outcome = await crawl_board(office, again, TENANT, SMART)
    assert (len(again.asked), outcome.changes["seen"]) == (1, 1)
    assert "Un hôpital" in (await find(office, "743999912345678", "Wren")).posting.text


async def test_pay_and_questions_that_only_a_detail_tells_are_kept(office):
    nothing = answer({"status": 404, "error": "Job not found"}, status=404)
    board = FakeBoard(answer(payloads.GREENHOUSE), answer(payloads.GREENHOUSE_DETAIL), nothing)
    await crawl_board(office, board, TENANT, ORDER)
    assert "/jobs/4400123?questions=true&pay_transparency=true" in board.asked[1][1].url
    kept = (await find(office, "4400123")).posting
    assert (kept.pay.min, kept.pay.max, kept.pay.currency) == (90000, 120000, "EUR")
    assert "Are you authorized to work in Germany?" in [one.label for one in kept.questions]
    assert (await find(office, "4400124")).title == "Driver"
    again = FakeBoard(answer(payloads.GREENHOUSE), nothing)
    outcome = await crawl_board(office, again, TENANT, ORDER)
    # The one that has told nothing yet is asked for once more.
    assert (len(again.asked), outcome.changes["seen"]) == (2, 2)
    assert (await find(office, "4400123")).posting == kept


async def test_what_a_listing_says_anew_is_kept_though_the_detail_does_not_come_with_what_it_told_before(office):
    await crawl(office, answer(payloads.GREENHOUSE), answer(payloads.GREENHOUSE_DETAIL), ProviderFault("reset"))
    before = (await find(office, "4400123")).posting
    rows = [{**row, "title": "Head"} for row in payloads.GREENHOUSE["jobs"]]
    for changed in (2, 0):
        outcome = await crawl(office, answer({**payloads.GREENHOUSE, "jobs": rows}), ProviderFault("reset"))
        assert outcome.changes["changed"] == changed
    after = (await find(office, "4400123")).posting
    assert (after.title, after.pay, after.questions) == ("Head", before.pay, before.questions)
    rows[0] = {**rows[0], "title": "Deputy"}
    detail = {**payloads.GREENHOUSE_DETAIL, "title": "Deputy", "questions": []}
    await crawl(office, answer({**payloads.GREENHOUSE, "jobs": rows}), answer(detail), ProviderFault("reset"))
    assert (await find(office, "4400123")).title == "Deputy"


async def test_those_whose_details_had_to_wait_come_first_the_next_time(office, monkeypatch):
    monkeypatch.setattr(crawling, "MOST_DETAILS", 2)
    first, second = FakeBoard(answer(listing(*"abcd"))), FakeBoard(answer(listing(*"abcd", updated_at="2026-05-01")))
    for board in (first, second):
        await crawl_board(office, board, TENANT, ORDER)
    # Those that had been asked for have changed since, too.
    asked = [{request.url.rpartition("/")[2][0] for _, request in board.asked[1:]} for board in (first, second)]
    assert (len(asked[0]), asked[0] | asked[1]) == (2, set("abcd"))


class CachedBoard:
    """A board whose details stay in the cache, as those do that were asked for minutes ago; listings do not."""

    def __init__(self):
        self.listing = payloads.GREENHOUSE
        self.detail = payloads.GREENHOUSE_DETAIL
        self.kept = {}

    async def fetch(self, source, request, *, lease=None):
        if "/jobs?" in request.url:
            return answer(self.listing)
        if "/4400123?" not in request.url:
            raise ProviderFault("reset")
        return self.kept.setdefault(make_errand(source, request, SourcePolicy(), lease).slot, answer(self.detail))


async def test_a_detail_from_before_the_listing_changed_does_not_undo_the_change(office):
    board = CachedBoard()
    await crawl_board(office, board, TENANT, ORDER)
    rows = [{**row, "title": "Head", "updated_at": "2026-06-01T00:00:00Z"} for row in payloads.GREENHOUSE["jobs"]]
    board.listing = {**payloads.GREENHOUSE, "jobs": rows}
    board.detail = {**payloads.GREENHOUSE_DETAIL, "title": "Head", "questions": [{"label": "Can you lead?"}]}
    await crawl_board(office, board, TENANT, ORDER)
    kept = (await find(office, "4400123")).posting
    assert (kept.title, "Can you lead?" in [one.label for one in kept.questions]) == ("Head", True)


class SlowBoard(FakeBoard):
    """A board that has another crawl done before it gives its first detail."""

    def __init__(self, other, *answers):
        super().__init__(*answers)
        self.other = other

    async def fetch(self, source, request, *, lease=None):
        if len(self.asked) == 1:
            await self.other()
        return await super().fetch(source, request, lease=lease)


async def test_a_crawl_that_lacks_a_detail_leaves_what_another_has_brought_meanwhile(office):
    await crawl(office, answer(payloads.GREENHOUSE), ProviderFault("reset"))
    slow = SlowBoard(
        lambda: crawl_board(office, CachedBoard(), TENANT, ORDER), answer(payloads.GREENHOUSE), ProviderFault("reset")
    )
    outcome = await crawl_board(office, slow, TENANT, ORDER)
    assert (outcome.changes["changed"], outcome.changes["seen"]) == (0, 2)
    assert (await find(office, "4400123")).posting.questions


async def test_a_detail_that_does_not_come_is_asked_for_again(office):
    outcome = await crawl(office, answer(payloads.SMARTRECRUITERS), ProviderFault("reset"), order=SMART)
    assert outcome.changes["new"] == 1
    outcome = await crawl(
        office, answer(payloads.SMARTRECRUITERS), answer(payloads.SMARTRECRUITERS_DETAIL), order=SMART
    )
    assert outcome.changes["changed"] == 1
    assert "Un hôpital" in (await find(office, "743999912345678", "Wren")).posting.text


async def test_a_pause_between_details_is_raised_after_what_was_read_is_kept(office):
    refusal = PermitRefused("wait", until=datetime.now(UTC) + timedelta(hours=1))
    with pytest.raises(PermitRefused):
        await crawl(office, answer(payloads.SMARTRECRUITERS), refusal, order=SMART)
    assert (await find(office, "743999912345678", "Wren")).title == "Nurse"


async def test_a_short_pause_is_waited_out(office):
    refusal = PermitRefused("wait", until=datetime.now(UTC))
    outcome = await crawl(office, refusal, answer(listing("1")))
    assert outcome.changes["new"] == 1


async def test_requests_go_to_the_source_of_the_board_and_posts_have_a_key(office):
    board = FakeBoard(answer({"total": 0, "jobPostings": []}))
    await crawl_board(office, board, TENANT, CrawlOrder(provider="workday", token="stork.wd3/Ext"))
    source, request = board.asked[0]
    assert (source, request.method, request.tenant) == ("workday", "POST", TENANT)
    assert request.is_repeatable


@pytest.mark.parametrize("place", ["postgres+redis"], indirect=True)
async def test_two_crawls_at_once_that_find_the_same_in_another_order_are_both_kept(office):
    ids = [str(number) for number in range(40)]
    await crawl(office, answer(listing("first")))
    shown = (listing("first", *ids), listing("first", *reversed(ids)))
    outcomes = await asyncio.gather(*(crawl(office, answer(one)) for one in shown))
    assert sorted(one.changes["new"] for one in outcomes) == [0, 40]


async def test_a_crawl_locks_postings_in_the_order_of_a_claim_that_locks_a_role(office):
    await crawl(office, answer(listing(*"zyxwvutsr")))
    async with office.tables.writing(sight_of(TENANT)) as transaction:
        rows = await store.list_of_board(transaction, "ramp", is_locked=True)
    assert [row["id"] for row in rows.values()] == sorted(row["id"] for row in rows.values())
