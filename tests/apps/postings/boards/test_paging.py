"""A listing is complete only if everything that the board has was seen."""

import json
import re

import pytest

from dibs.apps.postings.boards.board import Page, RowFault, Step
from dibs.apps.postings.boards.paging import MOST_PAGES, Enumeration, break_off, take_page
from dibs.apps.postings.boards.shelf import get_board
from dibs.apps.postings.model import Posting
from dibs.errors import BadInput
from tests.apps.postings.boards import payloads
from tests.apps.postings.boards.reading import read

LEVER, WORKDAY, SMART = get_board("lever"), get_board("workday"), get_board("smartrecruiters")
GREENHOUSE = get_board("greenhouse")


def page(first, count, total=None, **more):
    postings = tuple(Posting(external_id=str(number), title="x") for number in range(first, first + count))
    return Page(postings=postings, row_count=count, total=total, **more)


def walk(board, *pages):
    listing = Enumeration()
    for one in pages:
        listing = take_page(listing, board, one)
    return listing


def test_a_board_without_pages_is_complete_after_one_answer():
    assert walk(GREENHOUSE, read("greenhouse", payloads.GREENHOUSE)).is_complete


def test_fewer_rows_than_the_board_counts_are_not_complete():
    listing = walk(GREENHOUSE, page(0, 5, total=6))
    assert (listing.is_complete, listing.doubts) == (False, ("5 rows of 6",))


def test_an_empty_listing_is_never_complete():
    assert not walk(GREENHOUSE, page(0, 0, total=0)).is_complete


def test_lever_goes_on_until_a_page_is_short():
    listing = walk(LEVER, page(0, 100), page(100, 100))
    assert listing.next_step == Step(offset=200)
    listing = take_page(listing, LEVER, page(200, 3))
    assert listing.is_complete
    assert len(listing.postings) == 203


def test_a_board_that_counts_is_complete_at_its_count():
    listing = walk(SMART, page(0, 100, total=150))
    assert listing.next_step == Step(offset=100, expected=150)
    assert take_page(listing, SMART, page(100, 50, total=150)).is_complete


def test_workday_counts_on_its_first_page_only():
    listing = walk(WORKDAY, page(0, 20, total=25))
    assert take_page(listing, WORKDAY, page(20, 5, total=0)).is_complete


def test_a_listing_that_stops_early_is_not_complete():
    listing = walk(SMART, page(0, 100, total=250), page(100, 0, total=250))
    assert listing.next_step is None
    assert not listing.is_complete


def test_a_board_that_ignores_the_offset_is_noticed():
    listing = walk(LEVER, page(0, 100), page(0, 100))
    assert (listing.next_step, listing.is_complete) == (None, False)


def test_a_row_without_an_id_makes_a_listing_doubtful_and_one_with_an_id_does_not():
    fault = RowFault(row=3, message="the row has no title", external_id="77")
    listing = walk(GREENHOUSE, page(0, 2, faults=(fault,)))
    assert listing.is_complete
    assert "77" in listing.listed_ids
    listing = walk(GREENHOUSE, page(0, 2, faults=(RowFault(row=3, message="the row has no id"),)))
    assert not listing.is_complete


def test_an_answer_that_is_no_listing_ends_it():
    assert not walk(LEVER, page(0, 100), read("lever", b"<html>")).is_complete


def test_a_page_that_does_not_come_ends_it():
    listing = break_off(walk(LEVER, page(0, 100)), "429")
    assert (listing.is_complete, listing.next_step, len(listing.postings)) == (False, None, 100)


def test_at_workdays_cap_the_listing_is_divided_and_nothing_is_concluded():
    slices = (("jobFamily", "a"), ("jobFamily", "b"))
    listing = walk(WORKDAY, page(0, 20, total=2000, slices=slices))
    assert listing.todo == (Step(slice=slices[0]), Step(slice=slices[1]))
    listing = take_page(listing, WORKDAY, page(0, 20, total=30))
    assert listing.next_step == Step(slice=slices[0], offset=20, expected=30)
    listing = take_page(listing, WORKDAY, page(20, 10, total=0))
    listing = take_page(listing, WORKDAY, page(30, 20, total=20))
    assert (listing.next_step, listing.is_complete, len(listing.postings)) == (None, False, 50)


def test_the_facet_is_one_whose_values_stay_below_the_cap():
    facets = [
        {"facetParameter": "region", "values": [{"id": "r", "count": 2400}]},
        {
            "facetParameter": "locationMainGroup",
            "values": [
                {"facetParameter": "locations", "values": [{"id": "x", "count": 1500}, {"id": "y", "count": 900}]},
            ],
        },
        {"facetParameter": "family", "values": [{"id": str(one), "count": 800} for one in range(3)]},
    ]
    found = read("workday", {"total": 2000, "jobPostings": [], "facets": facets})
    assert found.slices == (("locations", "x"), ("locations", "y"))


def test_workday_asks_for_twenty_of_a_slice():
    request = WORKDAY.ask_page("stork.wd3/Ext", Step(offset=40, slice=("family", "1")))
    assert request.url == "https://stork.wd3.myworkdayjobs.com/wday/cxs/stork/Ext/jobs"
    assert request.method == "POST"
    asked = json.loads(request.body)
    assert asked == {"appliedFacets": {"family": ["1"]}, "limit": 20, "offset": 40, "searchText": ""}


def test_there_is_a_last_page_whatever_the_board_says():
    listing = Enumeration(pages=MOST_PAGES - 1)
    listing = take_page(listing, LEVER, page(0, 100))
    assert (listing.next_step, listing.is_complete) == (None, False)


@pytest.mark.parametrize("board", ["smartrecruiters", "workday", "greenhouse"])
def test_a_detail_is_asked_for_below_the_board(board):
    token = "stork.wd3/Ext"
    posting = Posting(external_id="7", title="x", detail_path="/job/a_7")
    request = get_board(board).ask_detail(token if board == "workday" else "stork", posting)
    assert request is not None
    assert "7" in request.url


@pytest.mark.parametrize("board", ["smartrecruiters", "greenhouse"])
@pytest.mark.parametrize("name", ["..", "7/../8", "7?x=1", "7#", "a b", "7/8"])
def test_no_detail_is_asked_for_by_an_id_that_leads_elsewhere(board, name):
    assert get_board(board).ask_detail("stork", Posting(external_id=name, title="x")) is None


@pytest.mark.parametrize(("board", "token"), [("workday", "stork.wd3"), ("workday", "a/b/c"), ("greenhouse", "a/b")])
def test_a_token_of_too_few_or_too_many_parts_is_refused(board, token):
    with pytest.raises(BadInput, match=re.escape(f"{token!r} is no token of a {board} board")):
        get_board(board).ask_page(token, Step())


def test_without_a_site_no_address_is_made_up():
    row = {"title": "Clerk", "externalPath": "/job/Bern/Clerk_R1", "bulletFields": ["R1"]}
    assert read("workday", {"jobPostings": [row]}, token="stork.wd3").postings[0].apply_url is None
