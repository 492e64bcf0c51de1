"""Uploads that mean harm: refused or answered, and the next one works."""

import asyncio
import time

import pytest

from dibs.server.application import make_server
from dibs.services.resumes.uploads.model import LONGEST_FILE_NAME, fit_file_name, fit_type
from dibs.web.entrance.intake import IntakeLimits
from tests.server.conftest import OPTIONS, connect, serving
from tests.server.doors.test_hostile import assert_lives, send_raw
from tests.server.keys import ACME, NOTHING
from tests.services.resumes.making import pack
from tests.services.resumes.uploads.conftest import JANE, hand_in

PATH = "/api/v1/resumes"
HEAD = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ACME}\r\nContent-Type: "


@pytest.fixture
def hasty(monkeypatch):
    """Limits that are reached soon."""
    limits = IntakeLimits(body_bytes=100_000, body_seconds=1.0)
    monkeypatch.setattr("dibs.services.resumes.uploads.routes.doors.make_limits", lambda: limits)


async def test_one_byte_a_while_is_refused(hasty, engine, ring, directory):
    async with serving(make_server(engine, ring, directory, options=OPTIONS)) as address:
        began = time.monotonic()
        head = f"{HEAD}text/plain\r\nContent-Length: 1000\r\n\r\n".encode()
        answer = await send_raw(address, head, *[b"x"] * 1_000, pause=0.05)
        assert b" 408 " in answer.splitlines()[0]
        assert b"connection: close" in answer.lower()
        assert time.monotonic() - began < 20
        await assert_lives(address)


async def test_a_body_without_end_is_refused_while_it_comes(hasty, engine, ring, directory):
    async with serving(make_server(engine, ring, directory, options=OPTIONS)) as address:
        head = f"{HEAD}application/pdf\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        chunk = b"2710\r\n" + b"x" * 10_000 + b"\r\n"
        answer = await send_raw(address, head, *[chunk] * 200, pause=0.001)
        assert b" 413 " in answer.splitlines()[0]
        await assert_lives(address)


async def test_a_stranger_is_refused_before_a_byte_of_the_body_is_read(engine, ring, directory):
    async with serving(make_server(engine, ring, directory, options=OPTIONS)) as address:
        head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n"
        answer = await send_raw(address, head.encode())
        assert b" 401 " in answer.splitlines()[0]
        assert b"connection: close" in answer.lower()


async def test_a_connection_that_ends_in_the_middle_keeps_nothing(server, acme):
    async with serving(server) as (host, port):
        _, writer = await asyncio.open_connection(host, port)
        writer.write(f"{HEAD}text/plain\r\nContent-Length: 1000\r\n\r\nJane".encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        await assert_lives((host, port))
    assert (await acme.get("/resumes")).json()["resumes"] == []


FORM = "multipart/form-data; boundary=b"
PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (FORM, PART + b"Jane Roe"),
        (FORM, PART + b"Jane Roe\r\n--b"),
        (FORM, b""),
        (FORM, b"no form at all"),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\nx\r\n--b--\r\n'),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--b--\r\n'),
        (FORM, PART + b"a\r\n" + PART + b"b\r\n--b--\r\n"),
        (FORM, b"--b\r\n" + b"X-Y: " + b"y" * 100_000),
        ("multipart/form-data", PART + b"a\r\n--b--\r\n"),
        ("multipart/form-data; boundary=" + "b" * 5_000, b"x"),
    ],
    ids=range(10),
)
async def test_a_form_that_is_none_or_was_cut_off_is_refused(acme, kind, body):
    answered = await acme.post("/resumes", content=body, headers={"Content-Type": kind})
    assert (answered.status_code, answered.json()["code"]) == (400, "body_not_form")
    assert (await acme.get("/resumes")).json()["resumes"] == []


async def test_a_file_without_a_byte_and_one_over_the_limit_are_refused(server, session_parser, monkeypatch):
    async with connect(server, ACME) as client:
        empty = await client.post("/resumes", files={"file": ("a.txt", b"")})
        assert (empty.status_code, empty.json()["code"]) == (422, "bad_field")
        large = await client.post("/resumes", content=bytes(session_parser.settings.max_bytes + 1))
        assert (large.status_code, large.json()["code"]) == (413, "body_too_large")
        larger = await client.post("/resumes", content=bytes(session_parser.settings.max_bytes + 100_000))
        assert (larger.status_code, larger.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x7fELF" + bytes(range(256)) * 4, "unsupported"),
        (b"MZ" + bytes(range(256)) * 4, "unsupported"),
        (pack({"word/document.xml": b"<a>" + bytes(120_000_000)}), "unpacked_too_large"),
        (b"%PDF-1.7\n" + b"[" * 200_000, "corrupted"),
    ],
    ids=["program", "windows", "bomb", "brackets"],
)
async def test_a_file_of_the_wrong_kind_and_a_bomb_are_answers_with_a_code(acme, data, code):
    made = await hand_in(acme, data, "cv.pdf")
    assert made["status"] == "error"
    assert [flag["code"] for flag in made["resume"]["meta"]["flags"]] == [code]
    assert (await hand_in(acme, JANE))["status"] != "error"


async def test_a_type_that_is_not_what_the_bytes_are_is_flagged_and_the_bytes_win(acme):
    answered = await acme.post("/resumes", files={"file": ("jane.pdf", JANE, "application/pdf")})
    flags = [flag["code"] for flag in answered.json()["resume"]["meta"]["flags"]]
    assert "type_mismatch" in flags
    assert answered.json()["resume"]["basics"]["name"] == "Jane Roe"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\cv.pdf", "cv.pdf"),
        ("cv\x00\r\nSet-Cookie: a=b.pdf", "cvSet-Cookie: a=b.pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        ("..", ""),
        ("", ""),
        ("a" * 500 + ".pdf", "a" * (LONGEST_FILE_NAME - 4) + ".pdf"),
        ("\ud800.txt", "?.txt"),
    ],
)
def test_a_name_leads_nowhere_and_holds_nothing_that_does_not_print(name, kept):
    assert fit_file_name(name) == kept


async def test_a_name_of_a_path_reaches_no_folder(acme):
    made = await acme.post("/resumes", params={"name": "../../../tmp/evil\x07.txt"}, content=JANE)
    assert made.json()["name"] == "evil.txt"
    head = PART.replace(b"a.txt", b"..\\..\\\xff\xfe\x1b[2Jcv.txt")
    form = await acme.post("/resumes", content=head + b"Bo Ng\r\n--b--\r\n", headers={"Content-Type": FORM})
    assert form.json()["name"].isprintable()
    assert "\\" not in form.json()["name"]


def test_a_content_type_that_is_none_is_left_out():
    assert [fit_type(one) for one in ("Text/HTML; charset=x", "a\r\nb/c", "", None, "x" * 200 + "/y")] == [
        "text/html", "", "", "", "",
    ]  # fmt: skip


async def test_who_may_not_write_is_refused_before_the_file_is_kept(server, acme):
    async with connect(server, NOTHING) as client:
        assert (await client.post("/resumes", content=JANE)).json()["code"] == "scope_missing"
    assert (await acme.get("/resumes")).json()["resumes"] == []
