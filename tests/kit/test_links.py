"""URLs of stores are taken apart, also where they list several hosts."""

from urllib.parse import urlsplit

import pytest

from dibs.errors import BadInput
from dibs.kit.links import split_hosts, split_url

ONE_HOST = ["redis://ann:p,w@[::1]:6379/0?a=b", "postgresql:///db?host=/run", "memory://", "sqlite:///a,b.db", "", "x"]


@pytest.mark.parametrize("url", ONE_HOST)
def test_with_one_host_it_is_what_python_says(url):
    assert split_hosts(url) == urlsplit(url)


def test_an_address_of_ipv6_may_stand_anywhere_in_a_list():
    parts = split_hosts("Redis+Sentinel://ann:p%2Cw@a:1,[::1]:2,[2001:db8::1]//main/0?tls=true#end")
    assert (parts.scheme, parts.netloc) == ("redis+sentinel", "ann:p%2Cw@a:1,[::1]:2,[2001:db8::1]")
    assert (parts.path, parts.query, parts.fragment) == ("//main/0", "tls=true", "end")


@pytest.mark.parametrize("hosts", ["a,[::1", "a,::1]"])
def test_a_broken_address_in_a_list_is_refused_without_the_password(hosts):
    with pytest.raises(BadInput, match="cannot be read as a URL") as refused:
        split_url(f"etcd://ann:s3cret@{hosts}/locks")
    assert "s3cret" not in str(refused.value)
