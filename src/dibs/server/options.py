"""What a server may be told."""

from ipaddress import ip_network

import msgspec

from dibs.errors import BadInput
from dibs.web.entrance.intake import IntakeLimits
from dibs.web.rates import Rate
from dibs.web.sessions import Home

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8470
BURST_SECONDS = 20


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a server answers. The head of a request must come within `header_seconds`.

    `proxies`: addresses or networks whose word on where a request came from is taken.
    """

    limits: IntakeLimits = IntakeLimits()
    # A fleet of agents with one key comes all at once; what keeps on coming is slowed down.
    calls: Rate = Rate(per_second=200, burst=200 * BURST_SECONDS)
    failed_keys: Rate = Rate(per_second=1, burst=30)
    most_streams: int = 1_000
    header_seconds: float = 10.0
    head_bytes: int = 32 * 1024
    home: Home = Home()
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for proxy in self.proxies:
            _check_proxy(proxy)


def _check_proxy(text: str) -> None:
    """Refuse what no request can come from: nobody would be believed, and all would be slowed down as one."""
    try:
        ip_network(text)
    except ValueError as cause:
        message = (
            f"the proxy {text!r} is neither an address nor a network ({cause}). Name where its requests come from,"
            " such as 127.0.0.1 or 10.0.0.0/8."
        )
        raise BadInput(message) from cause
