"""What a server may do to us ends in an error of ours, in bounded time and memory."""

import asyncio
import errno
import gzip
import socket
import ssl
import time
import tracemalloc
import zlib

import httpcore
import httpx
import pytest
from msgspec.structs import replace

from dibs.errors import (
    AddressRefused,
    BadInput,
    BodyTooLarge,
    FetchTimeout,
    HostFault,
    OutsideError,
    ProviderFault,
    TooManyRedirects,
)
from dibs.outside.transport.faults import explain
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.target import read_target
from dibs.outside.transport.transport import HttpRequest, Transport
from tests.outside.conftest import QUICK
from tests.outside.hostile import (
    bomb,
    endless,
    hang,
    head,
    raw,
    redirect,
    reset,
    say,
    trickle,
    trickle_headers,
)

MANY_HEADERS = [f"h{number}: x" for number in range(10_000)]
PACKED = gzip.compress(b"hello")

FAULTS = {
    "hangs": (hang, FetchTimeout),
    "resets": (reset, ProviderFault),
    "endless": (endless, BodyTooLarge),
    "trickles": (trickle, FetchTimeout),
    "trickles its headers": (trickle_headers, FetchTimeout),
    "gzip bomb": (bomb(100_000_000), BodyTooLarge),
    "declares too much": (raw(head(200, "Content-Length: 99999999") + b"x" * 2_000_000), BodyTooLarge),
    "sends less than it says": (raw(head(200, "Content-Length: 100") + b"short"), ProviderFault),
    "half a chunk": (raw(head(200, "Transfer-Encoding: chunked") + b"ff\r\nhalf"), ProviderFault),
    "half a head": (raw(b"HTTP/1.1 200 OK\r\nContent-Le"), ProviderFault),
    "10,000 headers": (say(200, b"", *MANY_HEADERS), ProviderFault),
    "1,000 small headers": (say(200, b"", *MANY_HEADERS[:1000]), BodyTooLarge),
    "one huge header": (say(200, b"", "big: " + "x" * 90_000), BodyTooLarge),
    "no HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), ProviderFault),
    "nothing": (raw(b""), ProviderFault),
    "two lengths": (raw(head(200, "Content-Length: 1", "Content-Length: 2") + b"xx"), ProviderFault),
    "unknown packing": (say(200, b"xxxx", "Content-Encoding: br"), ProviderFault),
    "packed twice": (say(200, gzip.compress(PACKED), "Content-Encoding: gzip, gzip"), ProviderFault),
    "broken packing": (say(200, b"no gzip at all", "Content-Encoding: gzip"), ProviderFault),
    "packing cut short": (say(200, PACKED[:-9], "Content-Encoding: gzip"), ProviderFault),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_whatever_a_server_does_ends_in_our_error_within_the_time(name, hostile, transport):
    answer, error = FAULTS[name]
    hostile.on("/", answer)
    began = time.monotonic()
    with pytest.raises(error) as caught:
        await transport.send(HttpRequest(url=hostile.url()))
    assert isinstance(caught.value, OutsideError)
    assert time.monotonic() - began < QUICK.total.total_seconds() + 1


async def test_the_next_request_after_a_fault_is_served(hostile, transport):
    hostile.on("/bad", endless)
    hostile.on("/good", say(200, b"well"))
    with pytest.raises(BodyTooLarge):
        await transport.send(HttpRequest(url=hostile.url("/bad")))
    assert (await transport.send(HttpRequest(url=hostile.url("/good")))).body == b"well"


async def test_a_bomb_is_never_unpacked_beyond_the_limit(hostile, transport):
    hostile.on("/", bomb(200_000_000))
    tracemalloc.start()
    with pytest.raises(BodyTooLarge, match="unpacked"):
        await transport.send(HttpRequest(url=hostile.url()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000


async def test_a_slow_body_ends_by_its_pace_before_the_whole_time_is_up(hostile, rules):
    hostile.on("/", trickle)
    patient = replace(rules, limits=replace(QUICK, slowest_bytes_per_second=0))
    async with Transport() as transport:
        with pytest.raises(FetchTimeout, match="bytes in"):
            await transport.send(HttpRequest(url=hostile.url()), rules)
        with pytest.raises(FetchTimeout, match=f"took longer than {QUICK.total.seconds} s"):
            await transport.send(HttpRequest(url=hostile.url()), patient)


async def test_a_server_that_redirects_to_itself_is_asked_a_bounded_number_of_times(hostile, transport):
    hostile.on("/", redirect("/"))
    with pytest.raises(TooManyRedirects):
        await transport.send(HttpRequest(url=hostile.url()))
    assert len(hostile.asked) == QUICK.redirects + 1


async def test_fifty_redirects_are_too_many(hostile, transport):
    for number in range(50):
        hostile.on(f"/{number}", redirect(f"/{number + 1}"))
    hostile.on("/50", say(200))
    with pytest.raises(TooManyRedirects):
        await transport.send(HttpRequest(url=hostile.url("/0")))


async def test_hops_share_the_whole_time(hostile, rules):
    async def late(asked, writer):
        await asyncio.sleep(0.1)
        await redirect("/")(asked, writer)

    hostile.on("/", late)
    tight = replace(rules, limits=replace(QUICK, redirects=50, total=QUICK.total / 4))
    async with Transport(rules=tight) as transport:
        with pytest.raises(FetchTimeout):
            await transport.send(HttpRequest(url=hostile.url()))


async def test_credentials_do_not_follow_to_another_origin(hostile, other, rules):
    rules = replace(rules, allow_hosts=rules.allow_hosts | {other.host})
    secrets = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "secret", "Accept": "text/html"}
    hostile.on("/", redirect("/here"))
    hostile.on("/here", redirect(other.url("/there")))
    other.on("/there", say(200, b"ok"))
    async with Transport(rules=rules) as transport:
        response = await transport.send(HttpRequest(url=hostile.url(), headers=secrets))
    assert response.url == other.url("/there")
    assert hostile.asked[1].headers["x-api-key"] == "secret"
    assert {"authorization", "cookie", "x-api-key"}.isdisjoint(other.asked[0].headers)
    assert other.asked[0].headers["accept"] == "text/html"
    assert other.asked[0].headers["host"] == other.host


async def test_a_body_does_not_follow_to_another_origin(hostile, other, rules):
    rules = replace(rules, allow_hosts=rules.allow_hosts | {other.host})
    hostile.on("/", redirect(other.url(), 307))
    async with Transport(rules=rules) as transport:
        with pytest.raises(AddressRefused, match="with a body"):
            await transport.send(HttpRequest(url=hostile.url(), method="POST", body=b"secret"))
    assert other.connections == 0


@pytest.mark.parametrize(("status", "method"), [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
async def test_a_redirect_keeps_or_changes_the_method_as_its_status_says(hostile, transport, status, method):
    hostile.on("/", redirect("/there", status))
    hostile.on("/there", say(200))
    await transport.send(
        HttpRequest(url=hostile.url(), method="POST", body=b"x", headers={"Content-Type": "text/plain"})
    )
    assert (hostile.asked[1].method, hostile.asked[1].body) == (method, b"x" if method == "POST" else b"")
    assert ("content-type" in hostile.asked[1].headers) == (method == "POST")


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"hello " * 50_000)),
        ("x-gzip", gzip.compress(b"hello " * 25_000) + gzip.compress(b"hello " * 25_000) + b"\0\0"),
        ("deflate", zlib.compress(b"hello " * 50_000)),
        ("deflate", zlib.compressobj(wbits=-15).compress(b"") + zlib.compress(b"hello " * 50_000, wbits=-15)),
        ("identity", b"hello " * 50_000),
    ],
)
async def test_packed_bodies_come_out_plain(hostile, transport, encoding, packed):
    hostile.on("/", say(200, packed, f"Content-Encoding: {encoding}"))
    response = await transport.send(HttpRequest(url=hostile.url()))
    assert response.body == b"hello " * 50_000
    assert hostile.asked[0].headers["accept-encoding"] == "gzip, deflate"


async def test_connections_are_kept_and_used_again(hostile, transport):
    hostile.on("/", say(200, b"x"))
    for _ in range(3):
        await transport.send(HttpRequest(url=hostile.url()))
    assert (len(hostile.asked), hostile.connections) == (3, 1)


async def test_the_host_header_is_not_for_callers_to_choose(hostile, transport):
    hostile.on("/", say(200))
    await transport.send(HttpRequest(url=hostile.url(), headers={"Host": "internal.example"}))
    assert hostile.asked[0].headers["host"] == hostile.host


@pytest.mark.parametrize("field", [("X", "a\r\nHost: evil"), ("X\r\nY", "a"), ("X", "ü"), ("", "a"), ("a b", "c")])
async def test_a_header_that_cannot_be_sent_or_would_smuggle_another_is_bad_input(hostile, transport, field):
    with pytest.raises(BadInput):
        await transport.send(HttpRequest(url=hostile.url(), headers=dict([field])))
    assert hostile.asked == []


async def test_a_method_that_is_none_is_bad_input(hostile, transport):
    with pytest.raises(BadInput):
        await transport.send(HttpRequest(url=hostile.url(), method="GET / HTTP/1.1\r\n\r\n"))
    assert hostile.asked == []


async def test_a_name_service_that_hangs_is_our_own_fault(hostile):
    class Hanging:
        async def resolve(self, host, port):
            await asyncio.Event().wait()

    limits = replace(QUICK, connect=QUICK.connect / 40)
    async with Transport(rules=Rules(limits=limits), resolver=Hanging()) as transport:
        with pytest.raises(HostFault, match="name service"):
            await transport.send(HttpRequest(url="http://shop.example/"))


async def test_an_address_that_swallows_everything_leaves_time_for_the_next_one(hostile, monkeypatch):
    connect = httpcore.AnyIOBackend.connect_tcp

    async def swallow_one(self, host, port, timeout=None, **options):
        if host == "127.0.0.2":
            await asyncio.sleep(timeout)
            raise httpcore.ConnectTimeout("swallowed")
        return await connect(self, host, port, timeout=timeout, **options)

    class Two:
        async def resolve(self, host, port):
            return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr("httpcore.AnyIOBackend.connect_tcp", swallow_one)
    hostile.on("/", say(200, b"second"))
    limits = replace(QUICK, connect=QUICK.connect / 10)
    rules = Rules(allow_hosts=frozenset({f"shop.example:{hostile.port}"}), limits=limits)
    async with Transport(rules=rules, resolver=Two()) as transport:
        response = await transport.send(HttpRequest(url=f"http://shop.example:{hostile.port}/"))
    assert response.body == b"second"


def test_too_many_fetches_at_once_are_our_own_fault():
    assert isinstance(explain(httpcore.PoolTimeout(), read_target("http://shop.example/")), HostFault)


async def test_a_port_nobody_listens_on_is_the_providers_fault(hostile, rules):
    async with Transport(rules=replace(rules, allow_hosts=frozenset({"127.0.0.1:1"}))) as transport:
        with pytest.raises(ProviderFault):
            await transport.send(HttpRequest(url="http://127.0.0.1:1/"))


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.ENETUNREACH, HostFault), (errno.EMFILE, HostFault), (errno.ECONNREFUSED, ProviderFault)],
)
async def test_a_missing_route_is_our_own_fault(hostile, transport, monkeypatch, number, error):
    async def connect(*_, **__):
        raise OSError(number, "no")

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.create_connection", connect)
    with pytest.raises(error):
        await transport.send(HttpRequest(url=hostile.url()))


async def test_a_name_service_that_is_down_is_our_own_fault_and_an_unknown_name_is_not(monkeypatch):
    async with Transport() as transport:
        for number, error in ((socket.EAI_AGAIN, HostFault), (socket.EAI_NONAME, ProviderFault)):

            async def fail(*_, number=number, **__):
                raise socket.gaierror(number, "no")

            monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", fail)
            with pytest.raises(error):
                await transport.send(HttpRequest(url="http://gone.example/"))


class ToLoopback:
    async def resolve(self, host, port):
        return ["127.0.0.1"]


def trust(authority):
    def make():
        tls = ssl.create_default_context()
        authority.configure_trust(tls)
        return tls

    return make


async def test_the_certificate_is_checked_by_name_although_the_address_is_pinned(secure, authority):
    secure.on("/", say(200, b"safe"))
    hosts = frozenset({f"shop.example:{secure.port}", f"other.example:{secure.port}"})
    rules = Rules(allow_hosts=hosts, limits=QUICK)
    async with Transport(rules=rules, resolver=ToLoopback(), make_tls=trust(authority)) as transport:
        response = await transport.send(HttpRequest(url=f"https://shop.example:{secure.port}/"))
        assert response.body == b"safe"
        with pytest.raises(ProviderFault, match="certificate"):
            await transport.send(HttpRequest(url=f"https://other.example:{secure.port}/"))
    assert len(secure.asked) == 1


async def test_a_machine_without_certificates_is_at_fault_itself(secure):
    rules = Rules(allow_hosts=frozenset({f"shop.example:{secure.port}"}), limits=QUICK)
    empty = lambda: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # noqa: E731
    async with Transport(rules=rules, resolver=ToLoopback(), make_tls=empty) as transport:
        with pytest.raises(HostFault, match="certificates"):
            await transport.send(HttpRequest(url=f"https://shop.example:{secure.port}/"))


async def test_a_redirect_from_https_to_http_is_refused_unless_allowed(secure, hostile, authority):
    secure.on("/", redirect(hostile.url()))
    hostile.on("/", say(200, b"plain"))
    rules = Rules(allow_hosts=frozenset({f"shop.example:{secure.port}", hostile.host}), limits=QUICK)
    request = HttpRequest(url=f"https://shop.example:{secure.port}/")
    async with Transport(resolver=ToLoopback(), make_tls=trust(authority)) as transport:
        with pytest.raises(AddressRefused, match="from https to http"):
            await transport.send(request, rules)
        assert hostile.connections == 0
        assert (await transport.send(request, replace(rules, allow_downgrade=True))).body == b"plain"


async def test_a_client_of_ones_own_is_guarded_at_every_hop(hostile, other, transport):
    hostile.on("/", redirect(other.url()))
    hostile.on("/packed", say(200, PACKED, "Content-Encoding: gzip"))
    async with httpx.AsyncClient(transport=transport.guard(), follow_redirects=True, trust_env=False) as client:
        with pytest.raises(AddressRefused):
            await client.get(hostile.url())
        assert (await client.get(hostile.url("/packed"))).text == "hello"
    assert other.connections == 0


async def test_a_cancelled_fetch_lets_go_of_its_connection(hostile, transport):
    hostile.on("/", hang)
    hostile.on("/good", say(200, b"x"))
    fetching = asyncio.create_task(transport.send(HttpRequest(url=hostile.url())))
    await hostile.arrived.wait()
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    assert (await transport.send(HttpRequest(url=hostile.url("/good")))).body == b"x"
