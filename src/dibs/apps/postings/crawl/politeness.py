"""How boards are asked: interfaces made for programs, at an even pace, each at its own host only."""

from collections.abc import Mapping
from datetime import timedelta

from dibs.engine.admission.source import SourceRule
from dibs.engine.store.backend import Backend
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

# None of them publishes a limit for reading; one request a second is what a patient person would do.
PACE = dict.fromkeys(_HOSTS, 60) | {"personio": 30}
BURST = 5


async def declare_pace(backend: Backend, provider: str) -> None:
    """Declare how fast a board may be asked, unless somebody has had to do with its source before."""
    name = provider.lower()
    if name in PACE and await backend.sources.find(name) is None:
        rule = SourceRule(name=name, rate_limit_per_minute=PACE[name], burst=BURST)
        await backend.sources.declare(rule, actor="dibs:postings", reason="an even pace, before the first crawl")


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
