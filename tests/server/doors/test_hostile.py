"""Requests that mean harm, over real sockets: refused, and the server lives on."""

import asyncio
import gc
import json
import socket
import time

import httpx
import pytest
from msgspec.structs import replace

from dibs.server.application import make_server
from dibs.server.serving import listen
from dibs.server.wire import CRUMB, MOST_CRUMBS
from dibs.web.entrance.intake import IntakeLimits
from tests.server.conftest import OPTIONS, serving
from tests.server.keys import ACME

HASTY = replace(OPTIONS, limits=IntakeLimits(body_seconds=0.5, body_bytes=1_000_000), header_seconds=0.5)
HEAD = f"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ACME}\r\nContent-Type: application/json\r\n"


@pytest.fixture
def server(engine, ring, directory):
    return make_server(engine, ring, directory, options=HASTY)


async def send_raw(address, *parts: bytes, pause: float = 0.0) -> bytes:
    """Send parts with pauses between them, and read what comes until the other side closes."""
    reader, writer = await asyncio.open_connection(*address)
    told = bytearray()
    reading = asyncio.create_task(read_all(reader, told))
    try:
        for part in parts:
            if reading.done():
                break
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        async with asyncio.timeout(60):
            await reading
    except ConnectionError:
        # Sent to a connection that was closed meanwhile; what was answered before stands.
        pass
    finally:
        reading.cancel()
        writer.close()
    return bytes(told)


async def read_all(reader: asyncio.StreamReader, told: bytearray) -> None:
    while part := await reader.read(65_536):
        told += part


async def assert_lives(address) -> None:
    host, port = address
    async with httpx.AsyncClient() as client:
        answered = await client.get(f"http://{host}:{port}/health/ready")
    assert answered.status_code == 200


async def test_a_body_of_one_byte_a_while_is_refused(server):
    async with serving(server, HASTY) as address:
        began = time.monotonic()
        drops = [b"{"] * 1_000
        answer = await send_raw(address, HEAD.encode() + b"Content-Length: 1000\r\n\r\n", *drops, pause=0.05)
        assert b" 408 " in answer.splitlines()[0]
        assert time.monotonic() - began < 10
        await assert_lives(address)


@pytest.mark.parametrize("length", ["Content-Length: 100", "Transfer-Encoding: chunked"])
async def test_what_was_cut_off_on_its_way_is_not_done_though_it_reads_well(server, acme, length):
    body = b'{"job_type": "PING"}'
    sent = body if "Length" in length else b"%x\r\n%b\r\n" % (len(body), body)
    async with serving(server, HASTY) as address:
        _, writer = await asyncio.open_connection(*address)
        writer.write(f"{HEAD}{length}\r\n\r\n".encode() + sent)
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        await assert_lives(address)
    assert (await acme.get("/jobs")).json()["jobs"] == []


async def test_an_upload_that_is_cut_off_is_refused_also_under_an_idempotency_key(server):
    body = f"POST /api/v1/resumes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ACME}\r\nIdempotency-Key: once\r\n"
    head = f"{body}Content-Type: text/plain\r\nContent-Length: 100\r\n\r\n".encode()
    told: list[str] = []
    server.state.figures.note = lambda scope, status, _: told.append(f"{scope['path']} {status}")
    async with serving(server, HASTY) as address:
        for sent in (head + b"half", head.replace(b"Idempotency-Key: once\r\n", b"") + b"half"):
            _, writer = await asyncio.open_connection(*address)
            writer.write(sent)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        async with asyncio.timeout(60):
            while len(told) < 2:
                await asyncio.sleep(0.01)
    assert told == ["/api/v1/resumes 400"] * 2


async def test_strangers_do_not_fill_the_memory_with_halves_of_bodies(engine, ring, directory):
    options = replace(HASTY, limits=replace(HASTY.limits, body_seconds=1, strangers_bytes=500_000))
    server = make_server(engine, ring, directory, options=options)
    head = HEAD.replace(ACME, "wrong").encode() + b"Content-Length: 300000\r\n\r\n"
    async with serving(server, options) as address:
        answers = await asyncio.gather(*(send_raw(address, head + b"x" * 299_999) for _ in range(4)))
        statuses = [answer.split(b" ")[1] for answer in answers if answer]
        assert b"503" in statuses, statuses
        whole = b'{"job_type": "PING"}'
        small = HEAD.encode() + f"Connection: close\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole
        assert b" 201 " in (await send_raw(address, small)).splitlines()[0]


async def test_strangers_do_not_keep_those_out_who_are_known(engine, ring, directory):
    limits = replace(HASTY.limits, body_seconds=60, bodies_bytes=1_000_000, strangers_bytes=400_000)
    options = replace(HASTY, limits=limits)
    server = make_server(engine, ring, directory, options=options)
    whole = json.dumps({"job_type": "PING", "input": {"text": "x" * 200_000}}).encode()
    half = HEAD.replace(ACME, "wrong").encode() + b"Content-Length: 300000\r\n\r\n" + b"x" * 299_999
    asking = HEAD.encode() + f"Connection: close\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole
    async with serving(server, options) as address:
        assert b" 201 " in (await send_raw(address, asking)).splitlines()[0]
        held = [await asyncio.open_connection(*address) for _ in range(4)]
        for _, writer in held:
            writer.write(half)
        told = [asyncio.create_task(reader.read()) for reader, _ in held]
        async with asyncio.timeout(60):
            # One of the four has room, and is waited for.
            while sum(one.done() for one in told) < len(told) - 1:
                await asyncio.sleep(0.01)
        assert b" 201 " in (await send_raw(address, asking)).splitlines()[0]
        stranger = (await send_raw(address, asking.replace(ACME.encode(), b"wrong"))).splitlines()[:1]
        for one, (_, writer) in zip(told, held, strict=True):
            one.cancel()
            writer.close()
    assert not any(b" 401 " in line for line in stranger)


def upload_first(address, head: bytes, body: bytes) -> bytes:
    """Send everything before reading anything, as simple clients do."""
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head + body)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize("key", [ACME, "wrong"])
async def test_who_sends_too_much_learns_so_and_not_of_a_broken_pipe(server, key):
    body = b"x" * 12_000_000
    head = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".replace(ACME, key).encode()
    async with serving(server, HASTY) as address:
        answer = await asyncio.to_thread(upload_first, address, head, body)
        assert b" 413 " in answer.splitlines()[0], answer
        assert b"connection: close" in answer.lower()
        await assert_lives(address)


async def test_nobody_who_was_refused_is_heard_for_ever(server, monkeypatch):
    monkeypatch.setattr("dibs.server.farewell.LONGEST", 0.2)
    async with serving(server, HASTY) as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(HEAD.encode() + b"Content-Length: 12000000\r\n\r\n")
        async with asyncio.timeout(60):
            assert b" 408 " in await reader.readline()
            with pytest.raises(ConnectionError):
                while True:
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.01)
        writer.close()
        await assert_lives(address)


async def test_whoever_was_refused_and_sends_on_and_on_is_cut_off(server, monkeypatch):
    monkeypatch.setattr("dibs.server.farewell.MOST_BYTES", 100_000)
    body = b"x" * 12_000_000
    async with serving(server, HASTY) as address:
        with pytest.raises(ConnectionError):
            await asyncio.to_thread(upload_first, address, HEAD.encode() + b"Content-Length: 90000000\r\n\r\n", body)
        await assert_lives(address)


async def test_a_head_of_one_byte_a_while_is_cut_off(server):
    async with serving(server, HASTY) as address:
        began = time.monotonic()
        await send_raw(address, *[bytes([byte]) for byte in HEAD.encode() * 10], pause=0.05)
        assert time.monotonic() - began < 10
        await assert_lives(address)


async def test_a_connection_that_says_nothing_is_cut_off(server):
    async with serving(server, HASTY) as address:
        assert await send_raw(address) == b""
        await assert_lives(address)


async def test_ten_thousand_headers_are_refused(server):
    many = "".join(f"X-{number}: y\r\n" for number in range(10_000))
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, (HEAD + many + "\r\n").encode())
        assert answer.split(b" ")[1] in (b"400", b"431")
        await assert_lives(address)


async def test_more_header_fields_than_anybody_needs_are_refused(server):
    many = "".join(f"X-{number}: y\r\n" for number in range(200))
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, (HEAD + many + "Content-Length: 0\r\n\r\n").encode())
        assert b" 431 " in answer.splitlines()[0]
        await assert_lives(address)


@pytest.mark.parametrize(
    "body", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000]
)
async def test_json_a_hundred_thousand_deep_is_refused(server, body):
    whole = f'{{"job_type": "PING", "input": {body}}}'.encode()
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, HEAD.encode() + f"Content-Length: {len(whole)}\r\n\r\n".encode() + whole)
        assert b" 400 " in answer.splitlines()[0]
        assert b"body_too_deep" in answer
        await assert_lives(address)


async def test_deep_json_is_refused_also_where_letters_look_like_quotes(server):
    deep = "[" * 100_000 + "]" * 100_000
    whole = f'{{"job_type": "PING", "input": ["\u2200", {deep}, "\u2200"]}}'.encode("utf-16-le")
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, HEAD.encode() + f"Content-Length: {len(whole)}\r\n\r\n".encode() + whole)
        assert b"body_too_deep" in answer
        await assert_lives(address)


async def test_a_body_without_end_is_refused(server):
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, HEAD.encode() + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 100)
        assert b" 413 " in answer.splitlines()[0] if answer else True
        await assert_lives(address)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"null", b'"text"', b"NaN", b'{"job_type": "PING", "input": NaN}', b"[]", b"1e999"]
)
async def test_a_body_that_is_no_job_is_a_problem(acme, body):
    answered = await acme.post("/jobs", content=body, headers={"Content-Type": "application/json"})
    assert answered.status_code in (400, 422)
    assert answered.headers["content-type"] == "application/problem+json"


async def test_lone_surrogates_and_nul_are_refused_or_kept_as_they_are(acme):
    for text in ("\ud800", "\x00"):
        body = json.dumps({"job_type": "PING", "input": {"text": text}})
        answered = await acme.post("/jobs", content=body, headers={"Content-Type": "application/json"})
        assert answered.status_code in (201, 422)


async def test_a_body_of_another_type_is_refused(acme):
    answered = await acme.post("/jobs", content=b'{"job_type": "PING"}', headers={"Content-Type": "text/plain"})
    assert answered.status_code == 422


def test_answers_are_not_held_back_by_nagles_algorithm():
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP, "asyncio turns it off only where the protocol is named"


@pytest.mark.system
async def test_one_byte_a_second_is_too_slow_for_the_limits_that_we_ship(engine, ring, directory):
    server = make_server(engine, ring, directory, options=OPTIONS)
    async with serving(server) as address:
        began = time.monotonic()
        body = send_raw(address, HEAD.encode() + b"Content-Length: 1000\r\n\r\n", *[b"{"] * 60, pause=1)
        head = send_raw(address, *[bytes([byte]) for byte in HEAD.encode()], pause=1)
        answered, _ = await asyncio.gather(body, head)
        assert b" 408 " in answered.splitlines()[0]
        assert time.monotonic() - began < 40
        await assert_lives(address)


async def test_what_is_there_when_the_server_is_ready_is_not_gone_through_for_garbage(server):
    async with serving(server):
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def in_chunks(size: int, count: int) -> bytes:
    return b"%x\r\n%b\r\n" % (size, b" " * size) * count


async def test_a_body_in_crumbs_is_refused(server):
    head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode()
    async with serving(server, HASTY) as address:
        answer = await send_raw(address, head + in_chunks(1, MOST_CRUMBS + MOST_CRUMBS // CRUMB + 1))
        assert b" 400 " in answer.splitlines()[0]
        assert b"Send larger ones" in answer
        await assert_lives(address)


async def test_chunks_of_some_size_may_be_as_many_as_they_like(engine, ring, directory):
    server = make_server(engine, ring, directory, options=OPTIONS)
    head = f"{HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    body = in_chunks(1, MOST_CRUMBS // 2) + in_chunks(CRUMB, MOST_CRUMBS * 2)
    whole = b'{"job_type": "PING"}'
    async with serving(server, OPTIONS) as address:
        answer = await send_raw(address, head + body + b"%x\r\n%b\r\n0\r\n\r\n" % (len(whole), whole))
        assert b" 201 " in answer.splitlines()[0]
