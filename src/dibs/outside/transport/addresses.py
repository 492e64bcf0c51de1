"""Which addresses are public. Pure."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_REFUSED_4 = {
    IPv4Network(network): why
    for network, why in {
        "0.0.0.0/8": "this network",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "shared behind a carrier",
        "127.0.0.0/8": "loopback",
        # The wire server of a cloud: metadata on an address that looks public.
        "168.63.129.16/32": "metadata",
        "169.254.0.0/16": "link-local, where metadata services are",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "reserved for protocols",
        "192.0.2.0/24": "documentation",
        "192.88.99.0/24": "a 6to4 relay",
        "192.168.0.0/16": "private",
        "198.18.0.0/15": "for benchmarks",
        "198.51.100.0/24": "documentation",
        "203.0.113.0/24": "documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved",
    }.items()
}
_GLOBAL_6 = IPv6Network("2000::/3")
# The order matters: the narrower first, for the better word.
_REFUSED_6 = {
    IPv6Network(network): why
    for network, why in {
        "::/128": "unspecified",
        "::1/128": "loopback",
        "::ffff:0:0/96": "an IPv4 address in disguise (mapped)",
        "::/96": "an IPv4 address in disguise (compatible)",
        "64:ff9b::/96": "an IPv4 address in disguise (NAT64)",
        "64:ff9b:1::/48": "an IPv4 address in disguise (NAT64)",
        "2001::/32": "an IPv4 address in disguise (Teredo)",
        "2001::/23": "reserved for protocols",
        "2001:db8::/32": "documentation",
        "2002::/16": "an IPv4 address in disguise (6to4)",
        "3fff::/20": "documentation",
        "fc00::/7": "private",
        "fe80::/10": "link-local",
        "ff00::/8": "multicast",
    }.items()
}
_ISATAP = 0x5EFE


def find_fault(address: Address) -> str | None:
    """Say why an address is not public; None: it is."""
    if isinstance(address, IPv4Address):
        return _find_network(address)
    if (int(address) >> 32) & 0xFFFF_FFFF & ~0x0200_0000 == _ISATAP:
        return "an IPv4 address in disguise (ISATAP)"
    # What nobody has given out yet is not public either, so the rule names what is.
    return _find_network(address) or (None if address in _GLOBAL_6 else "reserved")


def _find_network(address: Address) -> str | None:
    networks = _REFUSED_4 if isinstance(address, IPv4Address) else _REFUSED_6
    return next((why for network, why in networks.items() if address in network), None)
