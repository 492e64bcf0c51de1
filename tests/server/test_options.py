"""What a server does by default."""

import pytest

from dibs.errors import BadInput, RequestRefused
from dibs.server.options import ServerOptions
from dibs.server.serving import listen
from dibs.web.rates import Buckets


def test_a_fleet_of_agents_with_one_key_may_come_all_at_once_but_not_for_ever():
    buckets = Buckets(ServerOptions().calls, lambda: 0.0)
    for _ in range(4_000):
        buckets.take("agents")
    with pytest.raises(RequestRefused):
        buckets.take("agents")


@pytest.mark.parametrize("host", ["\udcff", "a\0b"])
def test_a_place_to_listen_at_that_is_none_is_refused(host):
    with pytest.raises(BadInput, match="another address with --host"):
        listen(host, 0)


@pytest.mark.parametrize("proxy", ["localhost", "10.0.0.1/8", "*", ""])
def test_a_proxy_that_no_request_comes_from_is_refused(proxy):
    with pytest.raises(BadInput, match=r"neither an address nor a network .* such as 127\.0\.0\.1"):
        ServerOptions(proxies=("127.0.0.1", proxy))


def test_a_proxy_is_an_address_or_a_network():
    proxies = ("127.0.0.1", "::1", "10.0.0.0/8")
    assert ServerOptions(proxies=proxies).proxies == proxies
