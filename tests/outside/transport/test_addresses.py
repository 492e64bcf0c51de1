"""What is not public is refused, in whatever form it comes, and nothing is sent there."""

from ipaddress import ip_address

import pytest

from dibs.errors import AddressRefused
from dibs.outside.transport.addresses import find_fault
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.transport import HttpRequest, Transport
from tests.outside.conftest import QUICK
from tests.outside.hostile import redirect, say

PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"]

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104 - nobody binds to it
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::7f00:1",
    "100::1",
    "2001::7f00:1",
    "2001:db8::1",
    "2001:10::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:7f00:1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_has_no_fault(text):
    assert find_fault(ip_address(text)) is None


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_told_why(text):
    assert find_fault(ip_address(text))


class Scripted:
    """A name service that answers as told, differently each time if told so."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def urls_to(port: int) -> list[str]:
    hosts = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "localhost.", "127.1", "0x7f000001"]
    hosts += ["2130706433", "0177.0.0.1", "①②⑦.⓪.⓪.①", "[::127.0.0.1]", "[::]", "[64:ff9b::7f00:1]", NOT_PUBLIC[0]]
    return [f"http://{host}:{port}/" for host in hosts]


async def test_a_listener_on_loopback_sees_nothing_however_it_is_spelt(hostile):
    rules = Rules(ports=frozenset({hostile.port}), limits=QUICK)
    async with Transport(rules=rules) as transport:
        for url in urls_to(hostile.port):
            with pytest.raises(AddressRefused):
                await transport.send(HttpRequest(url=url))
    assert hostile.connections == 0


async def test_a_redirect_to_a_private_address_is_refused_and_nothing_arrives_there(hostile, other):
    rules = Rules(ports=frozenset({other.port}), allow_hosts=frozenset({hostile.host}), limits=QUICK)
    async with Transport(rules=rules) as transport:
        for url in [*urls_to(other.port), "file:///etc/passwd", "gopher://x/", "http://169.254.169.254/latest/"]:
            hostile.on("/", redirect(url.replace("①②⑦.⓪.⓪.①", "%E2%91%A0")))
            with pytest.raises(AddressRefused):
                await transport.send(HttpRequest(url=hostile.url()))
    assert other.connections == 0


async def test_a_name_with_one_forbidden_answer_is_refused_as_a_whole(hostile):
    resolver = Scripted(["8.8.8.8", "127.0.0.1"])
    rules = Rules(ports=frozenset({hostile.port}), limits=QUICK)
    async with Transport(rules=rules, resolver=resolver) as transport:
        with pytest.raises(AddressRefused, match=r"127\.0\.0\.1 is not public"):
            await transport.send(HttpRequest(url=f"http://mixed.example:{hostile.port}/"))
    assert hostile.connections == 0


async def test_a_name_is_resolved_once_and_that_answer_is_where_the_connection_goes(monkeypatch, hostile):
    """A second answer would be the private one: rebinding. Whoever asked twice would reach the listener."""
    connected: list[str] = []

    async def connect(self, host, port, **_):
        connected.append(host)
        raise AddressRefused("far enough")

    monkeypatch.setattr("httpcore.AnyIOBackend.connect_tcp", connect)
    resolver = Scripted(["8.8.8.8"], ["127.0.0.1"])
    async with Transport(rules=Rules(ports=frozenset({hostile.port}), limits=QUICK), resolver=resolver) as transport:
        with pytest.raises(AddressRefused, match="far enough"):
            await transport.send(HttpRequest(url=f"http://rebind.example:{hostile.port}/"))
        assert (connected, resolver.asked) == (["8.8.8.8"], ["rebind.example"])
        with pytest.raises(AddressRefused, match="not public"):
            await transport.send(HttpRequest(url=f"http://rebind.example:{hostile.port}/"))
    assert hostile.connections == 0


async def test_nothing_below_the_guard_asks_a_name_service(hostile, monkeypatch):
    async def refuse(*_, **__):
        raise AssertionError("somebody resolved a name behind the guard")

    resolver = Scripted(["127.0.0.1"])
    rules = Rules(allow_hosts=frozenset({f"shop.example:{hostile.port}"}), limits=QUICK)
    hostile.on("/", say(200, b"hello"))
    async with Transport(rules=rules, resolver=resolver) as transport:
        monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", refuse)
        response = await transport.send(HttpRequest(url=f"http://shop.example:{hostile.port}/"))
    assert response.body == b"hello"
    assert hostile.asked[0].headers["host"] == f"shop.example:{hostile.port}"
    assert resolver.asked == ["shop.example"]


async def test_a_host_allowed_by_name_for_one_caller_is_not_reached_by_another(hostile):
    """Connections are kept alive, and must not be lent to somebody with other rules."""
    hostile.on("/", say(200, b"hello"))
    generous = Rules(allow_hosts=frozenset({hostile.host}), limits=QUICK)
    strict = Rules(ports=frozenset({hostile.port}), limits=QUICK)
    async with Transport() as transport:
        await transport.send(HttpRequest(url=hostile.url()), generous)
        with pytest.raises(AddressRefused):
            await transport.send(HttpRequest(url=hostile.url()), strict)
    assert len(hostile.asked) == 1


async def test_environment_proxies_are_not_used(hostile, other, transport, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, other.url())
    hostile.on("/", say(200, b"straight"))
    assert (await transport.send(HttpRequest(url=hostile.url()))).body == b"straight"
    assert other.connections == 0
