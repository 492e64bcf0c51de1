"""How boards are asked: interfaces made for programs, at an even pace, each at its own host only."""

from collections.abc import Mapping
from datetime import timedelta

from dibs.outside.cache.freshness import CacheRules
from dibs.outside.sources.request import SourcePolicy
from dibs.outside.transport.rules import MEBIBYTE, Limits, Rules

# Customers of the others may have hosts of their own.
_HOSTS = {
    "greenhouse": {"boards-api.greenhouse.io"},
    "lever": {"api.lever.co", "api.eu.lever.co"},
    "ashby": {"api.ashbyhq.com"},
    "workable": {"apply.workable.com"},
    "smartrecruiters": {"api.smartrecruiters.com"},
    "recruitee": set[str](),
    "personio": set[str](),
    "workday": {"*.myworkdayjobs.com"},
}
# A whole board with its texts comes in one answer; some take ten seconds to begin.
_LIMITS = Limits(
    body_bytes=50 * MEBIBYTE, wire_bytes=25 * MEBIBYTE, silence=timedelta(seconds=30), total=timedelta(seconds=120)
)


def make_policies() -> Mapping[str, SourcePolicy]:
    """Give the policy of each board, by the name of its source."""
    return {
        name: SourcePolicy(
            robots=False,
            rules=Rules(only_hosts=frozenset(hosts), limits=_LIMITS),
            cache=CacheRules(ttl=timedelta(minutes=10)),
        )
        for name, hosts in _HOSTS.items()
    }
