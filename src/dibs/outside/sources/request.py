"""What is asked of a source, and how that source is to be treated."""

from collections.abc import Mapping
from datetime import timedelta

import msgspec

from dibs.engine.job import Lease
from dibs.outside.cache.freshness import CacheRules
from dibs.outside.cache.keys import request_key
from dibs.outside.cache.records import Slot
from dibs.outside.transport.rules import Rules
from dibs.outside.transport.target import Target, read_target

DEFAULT_TENANT = "default"
LONGEST_RETRY_AFTER = timedelta(hours=24)
_SAFE_METHODS = {"GET", "HEAD"}


class Request(msgspec.Struct, frozen=True):
    """What is asked.

    `key` is what the caller calls the answer in the cache, for this tenant and source; without one the request itself
    is the key. Who gives a key says with it that any answer under it will do. `ttl`: how long the answer is fresh.
    """

    url: str
    key: str = ""
    tenant: str = DEFAULT_TENANT
    ttl: timedelta | None = None
    method: str = "GET"
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""

    @property
    def is_repeatable(self) -> bool:
        """Whether an earlier answer may stand for a new one: nothing was to be changed, or the caller says so."""
        return bool(self.key) or self.method.upper() in _SAFE_METHODS


class SourcePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How a source is treated. `robots` may be turned off for interfaces that are made for programs."""

    rules: Rules = Rules()
    cache: CacheRules = CacheRules()
    robots: bool = True
    longest_retry_after: timedelta = LONGEST_RETRY_AFTER


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """One request on its way: to which source, under which policy, for which job; `token`: that of its permit.

    `hop_of`: it is needed to follow a redirect, in answer to the fetch of this token, and waits for nothing either.
    """

    source: str
    request: Request
    policy: SourcePolicy
    target: Target
    lease: Lease | None = None
    token: int = 0
    hop_of: int | None = None

    @property
    def slot(self) -> Slot:
        """Where its answer is kept."""
        request = self.request
        key = request.key or request_key(request.method, self.target.url, request.headers, request.body)
        return Slot(tenant=request.tenant, source=self.source, key=key)


def make_errand(source: str, request: Request, policy: SourcePolicy, lease: Lease | None) -> Errand:
    """Check where a request leads before anything is spent on it."""
    target = read_target(request.url)
    policy.rules.check(target)
    return Errand(source=source, request=request, policy=policy, target=target, lease=lease)
