"""What a server may be told."""

import msgspec

from dibs.web.entrance.intake import IntakeLimits
from dibs.web.rates import Rate
from dibs.web.sessions import Home

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8470
BURST_SECONDS = 20


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a server answers. The head of a request must come within `header_seconds`.

    `proxies`: addresses whose word on where a request came from is taken.
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
