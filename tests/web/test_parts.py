"""What routes stand on, piece by piece."""

import asyncio
import json
import time
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from dibs import errors
from dibs.errors import RequestRefused
from dibs.web.answers.csv import escape_cell, write_csv
from dibs.web.answers.json import read_if_match, show_etag
from dibs.web.answers.problems import PROBLEMS, REFUSALS, make_problem, render_problem
from dibs.web.entrance.depth import is_deeper_than
from dibs.web.entrance.intake import Intake, IntakeLimits
from dibs.web.forms import MOST_BYTES, read_fields
from dibs.web.idempotency import Asking, KeptAnswer, MemoryAnswers, make_ticket
from dibs.web.paging import cut_page, read_cursor, show_cursor
from dibs.web.rates import Buckets, Rate
from dibs.web.sessions import find_cookie

JSON = st.recursive(
    st.none() | st.text() | st.integers(), lambda child: st.lists(child) | st.dictionaries(st.text(), child)
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def ticket_of(actor, body=b"{}", key="k"):
    return make_ticket(key, Asking(actor=actor, tenant=None, credential="c", method="POST", target="/jobs"), body)


def depth_of(value):
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 0


class Desk:
    """An application behind an intake, which works on bodies until it is told to answer."""

    def __init__(self, **more):
        limits = IntakeLimits(bodies_bytes=300_000, strangers_bytes=0)
        self.intake = Intake(self.work, limits, is_known=lambda _: True, **more)
        self.go = asyncio.Event()
        self.at_work = asyncio.Event()

    async def work(self, scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        self.at_work.set()
        await self.go.wait()
        await Response(status_code=204)(scope, receive, send)

    async def send(self, size, path="/jobs"):
        """Send a body in two parts, and give the status of the answer."""
        parts = iter(
            [{"type": "http.request", "body": b" " * (size // 2), "more_body": more} for more in (True, False)]
        )
        told = []

        async def receive():
            return next(parts)

        async def note(message):
            told.append(message)

        headers = [(b"content-length", str(size).encode())]
        scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "headers": headers}
        await self.intake(scope, receive, note)
        return told[0]["status"]


async def test_a_body_has_its_room_until_its_request_is_answered():
    desk = Desk()
    working = asyncio.create_task(desk.send(200_000))
    await desk.at_work.wait()
    assert await desk.send(200_000) == 503
    desk.go.set()
    assert await desk.send(60_000) == 204
    assert await working == 204
    assert [await desk.send(200_000) for _ in range(3)] == [204] * 3


async def test_a_file_that_is_handed_in_has_its_room_until_it_is_answered():
    desk = Desk(uploads={"/files": IntakeLimits()})
    working = asyncio.create_task(desk.send(200_000, "/files"))
    await desk.at_work.wait()
    with pytest.raises(RequestRefused, match="too many large bodies"):
        await desk.send(200_000, "/files")
    desk.go.set()
    assert await working == 204
    assert await desk.send(200_000) == 204


@given(JSON, st.integers(0, 6))
@example([{"": [[]]}], 3)
def test_the_depth_of_json_is_told_without_parsing_it(value, most):
    assert is_deeper_than(json.dumps(value).encode(), most) == (depth_of(value) > most)


def test_a_hundred_thousand_brackets_are_too_deep_whether_they_close_or_not():
    assert is_deeper_than(b"[" * 100_000 + b"]" * 100_000, 64)
    assert is_deeper_than(b'{"a":' * 100_000, 64)
    assert not is_deeper_than(b'"' + b"[" * 100_000 + b'"', 64)
    assert not is_deeper_than(b"[" + b"[]," * 100_000 + b"[]]", 64)


@given(JSON, st.integers(0, 6), st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]))
@example(["\u2200", [[[[]]]], "\u2200"], 3, "utf-16-le")
def test_the_depth_of_json_is_told_in_every_encoding_that_parsers_take(value, most, encoding):
    body = json.dumps(value, ensure_ascii=False).encode(encoding, "surrogatepass")
    assert is_deeper_than(body, most) == (depth_of(json.loads(body)) > most)


@pytest.mark.parametrize(
    "end", [b'\\"' * 20_000, b'"' + b"x" * 1_000_000 + b'"', b'"[' * 500_000, b'"' + b"\\" * 999_999]
)
def test_the_depth_of_a_body_made_for_it_costs_a_stranger_no_more_than_another(end):
    body = b"[" * 64 + b"]" * 64 + b"[]" + end
    tracemalloc.start()
    began = time.process_time()
    is_deeper_than(body, 64)
    spent, (_, most) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spent < 2
    assert most < 8 * len(body) + 4_000_000


def bring_form(body: bytes) -> Request:
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    kind = (b"content-type", b"application/x-www-form-urlencoded")
    return Request({"type": "http", "headers": [kind]}, receive)


async def test_a_form_of_strangers_is_no_longer_than_its_fields_may_be():
    longest = ("%F0%9F%A6%86" * 2_000).encode()
    assert await read_fields(bring_form(b"name=" + longest), "name") == {"name": "🦆" * 2_000}
    with pytest.raises(RequestRefused, match="over the limit"):
        await read_fields(bring_form(b"name=ada&other=" + b"%41" * (MOST_BYTES // 3)), "name")


def bring_cookies(*headers: str) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", header.encode()) for header in headers]})


@pytest.mark.parametrize("value", ["", "secret-_1", "%3Cdone%3E a/b", "a=b"])
def test_cookies_are_read_as_they_were_set(value):
    answer = Response()
    answer.set_cookie("dibs", value)
    sent = answer.headers["set-cookie"].partition(";")[0]
    for headers in ([sent], [f"other=1; {sent}"], ["theme=dark;;x", f"{sent};last=1"]):
        assert find_cookie(bring_cookies(*headers), "dibs") == value
    assert find_cookie(bring_cookies("other=dibs"), "dibs") is None


def test_a_cookie_made_for_it_costs_a_stranger_no_more_than_another():
    began = time.process_time()
    for _ in range(5):
        find_cookie(bring_cookies('dibs="' + "\\" * 32_000 + '"'), "dibs")
    assert time.process_time() - began < 2


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])  # noqa: RUF001
def test_no_cell_of_a_table_is_a_formula(text):
    assert escape_cell(text) == f"'{text}"


def test_plain_cells_stay_as_they_are():
    assert [escape_cell(value) for value in ("Ada", -5, None, True, {"a": 1})] == ["Ada", "-5", "", "True", '{"a":1}']
    assert write_csv(["a"], [['say "hi", twice']]) == '"a"\r\n"say ""hi"", twice"\r\n'


@given(st.none() | st.integers(0, 2**53 - 1))
def test_a_cursor_comes_back_as_it_was(position):
    assert read_cursor(show_cursor(position)) == position


@pytest.mark.parametrize("text", ["", "p1", "....", "cDE5OTk5OTk5OTk5OTk5OTk5OTk5OTk", "cC0x", "a2E", "cMKy"])
def test_a_cursor_that_comes_from_no_page_is_refused(text):
    with pytest.raises(RequestRefused) as refusal:
        read_cursor(text)
    assert refusal.value.code == "bad_cursor"


def test_pages_by_key_stay_right_while_items_come_and_go():
    first, cursor = cut_page(["a", "c", "e"], None, 2, key=str)
    assert (first, cursor is not None) == (["a", "c"], True)
    assert cut_page(["b", "d", "e"], cursor, 2, key=str) == (["d", "e"], None)


def test_an_etag_names_a_version():
    assert read_if_match(show_etag(7)) == 7
    assert read_if_match(None) is None
    assert read_if_match("*") is None


@pytest.mark.parametrize("text", ["7", '"v0"', 'W/"v7"', '"v7", "v8"', ""])
def test_an_if_match_that_is_no_etag_of_ours_is_refused(text):
    with pytest.raises(RequestRefused):
        read_if_match(text)


def test_a_bucket_lets_a_burst_through_and_then_the_rate():
    clock = Clock()
    buckets = Buckets(Rate(per_second=2, burst=3), clock)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(RequestRefused) as refusal:
        buckets.take("a")
    assert refusal.value.retry_after == 1
    buckets.take("b")
    clock.now += 0.5
    buckets.take("a")


async def test_the_first_answer_under_a_key_is_given_again():
    answers, ticket = MemoryAnswers(), ticket_of("ada")
    given_answer = KeptAnswer(status=201, headers=(), body=b"1")
    assert await answers.begin(ticket) is None
    with pytest.raises(RequestRefused, match="under way"):
        await answers.begin(ticket)
    await answers.finish(ticket, given_answer)
    assert await answers.begin(ticket) == given_answer
    with pytest.raises(RequestRefused, match="another request"):
        await answers.begin(ticket_of("ada", b"[]"))
    assert await answers.begin(ticket_of("bob", b"[]")) is None


async def test_a_key_is_free_again_after_a_day_or_when_nothing_was_done():
    clock = Clock()
    answers, ticket = MemoryAnswers(clock), ticket_of("ada")
    await answers.begin(ticket)
    await answers.abandon(ticket)
    assert await answers.begin(ticket) is None
    await answers.finish(ticket, KeptAnswer(status=201, headers=(), body=b"1"))
    clock.now += 86_401
    assert await answers.begin(ticket) is None


async def test_large_answers_make_room_for_new_ones():
    answers = MemoryAnswers(most_bytes=100)
    tickets = [ticket_of("ada", key=f"k{number}") for number in range(3)]
    for ticket in tickets:
        await answers.begin(ticket)
        await answers.finish(ticket, KeptAnswer(status=201, headers=(), body=b"x" * 80))
    assert await answers.begin(tickets[2]) is not None
    assert await answers.begin(tickets[0]) is None


@pytest.mark.parametrize("key", ["", "two words", "ä", "x" * 201])
def test_a_key_that_cannot_be_one_is_refused(key):
    with pytest.raises(RequestRefused):
        ticket_of("ada", key=key)


def test_every_error_has_a_status_and_faults_tell_nothing_of_the_inside():
    assert make_problem(errors.DuplicateJob("taken")).status == 409
    assert make_problem(errors.UnknownBackend("what")).code == "bad_input"
    for secret in (RuntimeError("password=hunter2"), errors.StoreUnavailable("password=hunter2")):
        assert b"hunter2" not in bytes(render_problem(secret).body)


def test_no_code_means_two_statuses():
    codes = {code: status for status, code in PROBLEMS.values()}
    assert not codes.keys() & REFUSALS.keys()
    assert len(set(PROBLEMS.values())) == len(codes)
