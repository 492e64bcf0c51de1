"""What an etcd URL may say."""

import pytest

from dibs.backends.etcd import open_leases
from dibs.backends.etcd.address import parse_address
from dibs.errors import BadInput


def test_hosts_prefix_and_options_are_read() -> None:
    address = parse_address("etcd://a:1,b,[::1]:3/locks/eu?timeout=2")
    assert address.endpoints == ["http://a:1", "http://b:2379", "http://[::1]:3"]
    assert (address.prefix, address.options.timeout) == ("/locks/eu", 2.0)
    assert parse_address("etcd://a").prefix == "/dibs"


def test_a_user_is_signed_in_and_never_shown() -> None:
    address = parse_address("etcds://ann:p%40ss@a,b/x?ca=/ca.pem")
    assert (address.user, address.password) == ("ann", "p@ss")
    assert address.endpoints == ["https://a:2379", "https://b:2379"]
    assert address.shown == "a:2379, b:2379"


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("etcd://", "no host"),
        ("etcd:///prefix", "no host"),
        ("etcd://a:0x1/p", "Port"),
        ("etcd://ann@a", "needs a password"),
        ("etcd://a?ca=/ca.pem", "etcds://"),
        ("etcds://a?cert=/c.pem", "belong together"),
        ("etcd://a?timeout=0", "positive"),
        ("etcd://a?timeout=soon", "an option is wrong"),
        ("etcd://a?retries=3", "unknown field `retries`"),
        ("etcd://a/" + "x" * 200, "prefix"),
        ("http://a", "no scheme of etcd"),
    ],
)
def test_a_url_that_makes_no_sense_is_refused_with_examples(url: str, hint: str) -> None:
    with pytest.raises(BadInput, match=hint) as caught:
        parse_address(url)
    assert "etcd://host:2379" in str(caught.value)


def test_a_password_is_not_repeated_in_an_error() -> None:
    with pytest.raises(BadInput) as caught:
        parse_address("etcd://ann:s3cret@a:port/p")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("options", ["ca=/nowhere/ca.pem", "cert=/nowhere/c.pem&key=/nowhere/k.pem"])
async def test_certificates_that_cannot_be_read_are_named(options: str) -> None:
    with pytest.raises(BadInput, match="/nowhere"):
        await open_leases(f"etcds://a?{options}")
