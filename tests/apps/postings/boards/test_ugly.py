"""Whatever a board answers, reading it ends with postings and faults, never with an error."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.boards.shelf import BOARDS
from tests.apps.postings.boards import payloads
from tests.apps.postings.boards.reading import read

SAMPLES = {
    "greenhouse": payloads.GREENHOUSE_DETAIL,
    "lever": payloads.LEVER[0],
    "ashby": payloads.ASHBY["jobs"][0],
    "workable": payloads.WORKABLE["jobs"][0],
    "smartrecruiters": payloads.SMARTRECRUITERS_DETAIL,
    "recruitee": payloads.RECRUITEE["offers"][0],
    "workday": {**payloads.WORKDAY["jobPostings"][0], **payloads.WORKDAY_DETAIL["jobPostingInfo"]},
}
LISTS = {
    "greenhouse": "jobs",
    "ashby": "jobs",
    "workable": "jobs",
    "smartrecruiters": "content",
    "recruitee": "offers",
    "workday": "jobPostings",
}


def find_keys(value):
    if isinstance(value, dict):
        return {*value, *(key for inner in value.values() for key in find_keys(inner))}
    return {key for inner in value for key in find_keys(inner)} if isinstance(value, list) else set()


KEYS = sorted(
    {key for sample in SAMPLES.values() for key in find_keys(sample)} | set(LISTS.values()) | {"facets", "meta"}
)
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", " ", "<p>", "&lt;p", "$1-2k", "2026-13-40", "https://", "http://[", "\ud800", "\x00", "9" * 50]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(KEYS), TEXTS), inner, max_size=6)
    ),
    max_leaves=25,
)


def spoil(draw, value):
    """Replace some of the parts of a good row by anything."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    if isinstance(value, dict):
        return {key: spoil(draw, inner) for key, inner in value.items() if draw(st.integers(0, 9))}
    return [spoil(draw, inner) for inner in value] if isinstance(value, list) else value


@st.composite
def spoilt_rows(draw):
    board = draw(st.sampled_from(sorted(SAMPLES)))
    return board, spoil(draw, SAMPLES[board])


def check(page):
    """Every fault is one that we foresaw, and what was read can be written."""
    assert not [fault for fault in page.faults if "could not be read (" in fault.message]
    for posting in page.postings:
        assert posting.external_id
        assert posting.title
        json.dumps([posting.title, posting.text, posting.company]).encode()
        assert "\x00" not in posting.text


@given(st.sampled_from(sorted(BOARDS)), JSON)
def test_json_of_any_shape_is_read_without_an_error(board, document):
    check(read(board, document))


@given(spoilt_rows())
def test_a_spoilt_row_does_not_cost_the_others(spoilt):
    board, row = spoilt
    good = SAMPLES[board]
    document = [row, good] if board == "lever" else {LISTS[board]: [row, good, None, 7, "x", []]}
    page = read(board, document)
    check(page)
    ids = {posting.external_id for posting in page.postings}
    assert ids & {str(good.get(name)) for name in ("id", "shortcode", "jobReqId")}


@given(st.sampled_from(sorted(BOARDS)), st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_without_an_error(board, payload):
    check(read(board, payload))


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "payload", [b"", b"null", b"<html>down for maintenance</html>", b"[" * 100_000, b'{"ok":false}']
)
def test_what_is_no_listing_is_told_and_is_none(board, payload):
    page = read(board, payload)
    assert (page.is_listing, page.postings) == (False, ())
    assert page.faults[0].message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_an_odd_encoding_is_read(encoding):
    document = json.dumps({"jobs": [{"id": 1, "title": "Café-Führer"}]}, ensure_ascii=False)
    assert read("greenhouse", document.encode(encoding)).postings[0].title == "Café-Führer"


def test_a_missing_title_or_id_is_a_fault_with_what_is_known():
    page = read("greenhouse", {"jobs": [{"id": 1}, {"title": "x"}, {"id": 2, "title": " "}, {"id": 3, "title": "ok"}]})
    assert [(fault.row, fault.external_id) for fault in page.faults] == [(0, "1"), (1, None), (2, "2")]
    assert len(page.postings) == 1


def test_entities_and_invisible_letters_leave_a_title():
    row = {"id": 1, "title": " R&amp;D\u200b&nbsp;Lead\x00 \n(m/f/d) "}
    assert read("greenhouse", {"jobs": [row]}).postings[0].title == "R&D Lead (m/f/d)"


def test_an_address_that_is_a_script_is_no_address():
    row = {"id": 1, "title": "x", "absolute_url": "javascript:alert(1)"}
    assert read("greenhouse", {"jobs": [row]}).postings[0].apply_url is None


@pytest.mark.parametrize(
    "content",
    [
        "<div>" * 100_000,
        "<p>" * 100_000,
        "<li><b>" * 100_000,
        "<a " * 200_000,
        "<!--" * 200_000,
        "&lt;" * 200_000,
        "$1 - " * 100_000,
        "1,1" * 200_000,
        "€" * 300_000,
        "<p>" + "x" * 5_000_000,
        " " * 1_000_000 + "$",
        "9" * 1_000_000,
    ],
    ids=range(12),
)
def test_huge_and_hostile_text_is_read_in_bounded_time(content):
    started = time.perf_counter()
    posting = read("greenhouse", {"jobs": [{"id": 1, "title": "x", "content": content}]}).postings[0]
    assert len(posting.text) <= 200_000
    assert time.perf_counter() - started < 20
