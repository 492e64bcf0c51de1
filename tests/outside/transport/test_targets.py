"""A URL has one reading, or none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.errors import AddressRefused
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.target import join_target, read_target

GOOD = [
    ("http://example.com", "http://example.com/"),
    ("HTTPS://Example.COM:443/a?b=c#d", "https://example.com/a?b=c"),
    ("http://example.com.:8080/", "http://example.com:8080/"),
    ("http://8.8.8.8/", "http://8.8.8.8/"),
    ("http://[2606:4700::1111]:80/x", "http://[2606:4700::1111]/x"),
    ("http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC"),
    ("http://example.com/a/./b/../c/", "http://example.com/a/c/"),
    ("http://example.com/../../private", "http://example.com/private"),
    ("http://example.com/a/%2e%2e/private", "http://example.com/private"),
    ("http://example.com?x=//y", "http://example.com/?x=//y"),
    ("http://my_host.example/", "http://my_host.example/"),
]

BAD = [
    "",
    "example.com",
    "//example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "http:/example.com",
    "http://",
    "http:///path",
    "http://user@example.com/",
    "http://user:secret@example.com/",
    "http://example.com@evil.example/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://example.com:80:80/",
    "http://example.com:x/",
    "http://exam ple.com/",
    "http://example.com/\r\nHost: evil",
    "http://example.com\\@evil.example/",
    "http://example.com\t/",
    "http://ex%61mple.com/",
    "http://example.com/\ud800",
    "http://[::1%25lo]/",
    "http://[::1/",
    "http://[v1.x]/",
    "http://-bad.example/",
    "http://a..b/",
    "http://" + "a" * 64 + ".example/",
    "http://example.com/" + "a" * 9000,
    # Addresses in spellings that only some readers understand.
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0x7f.0.0.1/",
    "http://127.0.0.1.1/",
    "http://1.2.3/",
    "http://example.0x1/",
    "http://01.02.03.04/",
]


@pytest.mark.parametrize(("given_url", "read"), GOOD)
def test_a_good_url_is_read_in_its_one_spelling(given_url, read):
    assert read_target(given_url).url == read


@pytest.mark.parametrize("url", BAD)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url):
    with pytest.raises(AddressRefused):
        read_target(url)


def test_a_password_is_not_repeated_in_the_error():
    with pytest.raises(AddressRefused) as caught:
        read_target("http://ada:lovelace@example.com/")
    assert "lovelace" not in str(caught.value)


def test_digits_of_other_scripts_are_digits():
    assert read_target("http://①②⑦.⓪.⓪.①/").host == "127.0.0.1"
    assert read_target("http://127。0。0。1/").host == "127.0.0.1"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/b", "http://example.com/b"),
        ("b", "http://example.com/a/b"),
        ("//other.example/x", "http://other.example/x"),
        ("https://example.com/", "https://example.com/"),
        ("?q", "http://example.com/a/?q"),
        (" /a b ", "http://example.com/a%20b"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_given(location, url):
    assert join_target(read_target("http://example.com/a/"), location).url == url


@pytest.mark.parametrize("location", ["http://[::1", "//[", "http://[x]/", "http://\u2100.com/", "http://a:b@[x]/"])
def test_a_redirect_that_nobody_can_read_is_refused_as_others_are(location):
    with pytest.raises(AddressRefused) as caught:
        join_target(read_target("http://example.com/a/"), location)
    assert "a:b" not in str(caught.value)


@given(st.text(max_size=60))
def test_whatever_is_given_is_read_again_as_the_same_or_refused(text):
    try:
        target = read_target(f"http://{text}")
    except AddressRefused:
        return
    assert read_target(target.url) == target


def test_only_listed_hosts_may_be_asked():
    rules = Rules(only_hosts=frozenset({"example.com", "*.shop.example"}))
    for good in ("http://example.com/", "https://a.shop.example/", "https://a.b.shop.example/"):
        rules.check(read_target(good))
    for bad in (
        "http://www.example.com/",
        "http://shop.example/",
        "http://evilshop.example/",
        "http://example.com.evil.net/",
    ):
        with pytest.raises(AddressRefused, match="only_hosts"):
            rules.check(read_target(bad))


def test_only_the_usual_ports_lead_out():
    with pytest.raises(AddressRefused, match="port"):
        Rules().check(read_target("http://example.com:22/"))
    Rules(allow_hosts=frozenset({"example.com:22"})).check(read_target("http://example.com:22/"))
