"""Which answers are kept, and for how long."""

from datetime import timedelta

import pytest

from dibs.outside.cache.freshness import CacheRules, find_span, find_validators, read_directives
from dibs.outside.cache.keys import request_key
from dibs.outside.cache.records import Span

TTL = timedelta(hours=1)
PAGE = Span(fresh=TTL, stale=CacheRules().stale)
GONE = Span(fresh=CacheRules().gone_ttl)
LAX = CacheRules(respect_no_store=False, respect_private=False)


@pytest.mark.parametrize(
    ("status", "control", "rules", "span"),
    [
        (200, "", CacheRules(), PAGE),
        (203, "max-age=1", CacheRules(), PAGE),
        (200, "no-cache, must-revalidate", CacheRules(), PAGE),
        (404, "", CacheRules(), GONE),
        (410, "", CacheRules(), GONE),
        (200, "no-store", CacheRules(), None),
        (200, "max-age=5, No-Store", CacheRules(), None),
        (404, "no-store", CacheRules(), None),
        (200, "private", CacheRules(), None),
        (200, 'private="set-cookie"', CacheRules(), None),
        (200, "no-store, private", LAX, PAGE),
        (200, 'ext="no-store"', CacheRules(), PAGE),
        (200, "x-no-store", CacheRules(), PAGE),
        (200, "", CacheRules(enabled=False), None),
        *((status, "", CacheRules(), None) for status in (204, 206, 301, 304, 400, 401, 403, 429, 500, 503)),
    ],
)
def test_the_callers_time_decides_unless_the_other_side_forbids_it(status, control, rules, span):
    assert find_span(status, {"cache-control": control}, rules, TTL) == span


def test_an_answer_that_varies_by_everything_is_not_kept():
    assert find_span(200, {"vary": "*"}, CacheRules(), TTL) is None
    assert find_span(200, {"vary": "accept, *"}, CacheRules(), TTL) is None
    assert find_span(200, {"vary": "accept-encoding"}, CacheRules(), TTL) == PAGE


def test_what_is_gone_is_not_kept_longer_than_the_caller_wants():
    assert find_span(404, {}, CacheRules(), timedelta(seconds=1)) == Span(fresh=timedelta(seconds=1))


def test_validators_ask_for_what_was_kept():
    headers = {"etag": 'W/"x"', "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT", "date": "now"}
    asked = {"If-None-Match": 'W/"x"', "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"}
    assert find_validators(headers) == asked
    assert find_validators({"date": "now"}) == {}


def test_directives_are_read_with_and_without_values():
    assert read_directives('max-age=10, private="a, b", no-store') == {
        "max-age": "10",
        "private": "a, b",
        "no-store": "",
    }


def test_a_default_key_differs_wherever_the_answer_may():
    keys = {
        request_key("GET", "http://a/", {}, b""),
        request_key("POST", "http://a/", {}, b""),
        request_key("GET", "http://a/?x", {}, b""),
        request_key("GET", "http://a/", {"Authorization": "Bearer 1"}, b""),
        request_key("GET", "http://a/", {"Authorization": "Bearer 2"}, b""),
        request_key("GET", "http://a/", {}, b"body"),
    }
    assert len(keys) == 6
    assert request_key("get", "http://a/", {"User-Agent": "x"}, b"") == request_key("GET", "http://a/", {}, b"")
    assert "Bearer" not in "".join(keys)
