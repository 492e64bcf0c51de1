"""Sources for an app, opened with its store."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from dibs.engine.admission.source import FetchReport, Permit, Source
from dibs.engine.errands import Errand
from dibs.engine.job import Lease
from dibs.engine.store.backend import Backend
from dibs.outside.cache.opening import make_cache
from dibs.outside.sources.request import SourcePolicy
from dibs.outside.sources.sources import Sources
from dibs.outside.transport.transport import Transport
from dibs.settings import Settings

SWEEPING, SWEPT_EACH = "cache", timedelta(minutes=10)


class Host(Protocol):
    """What is needed of an app; `dibs.Dibs` has it."""

    url: str
    settings: Settings
    errands: list[Errand]

    async def backend(self) -> Backend:
        """Give the store, opened if need be."""


def make_sources(
    app: Host,
    *,
    user_agent: str,
    policies: Mapping[str, SourcePolicy] | None = None,
    default: SourcePolicy = SourcePolicy(),  # noqa: B008 - it is frozen
) -> Sources:
    """Make the sources of an app, with the cache that its settings ask for. Nothing is opened before the first fetch.

    The app's workers forget pages that were kept long enough, also when nothing is fetched any more.
    `user_agent` should say who asks, and how to reach them: "coins/1.0 (+mailto:ops@example.com)".
    """
    cache = make_cache(app.settings, app.url)
    if cache.is_enabled and all(errand.name != SWEEPING for errand in app.errands):
        app.errands.append(Errand(name=SWEEPING, every=SWEPT_EACH, do=cache.sweep))
    transport = Transport(user_agent=user_agent)
    return Sources(LateStore(app), cache, transport, policies=policies, default=default)


class LateStore:
    """The sources of a store that is opened when they are first asked."""

    def __init__(self, app: Host) -> None:
        self._app = app

    async def find(self, name: str) -> Source | None:
        """Read one source."""
        return await (await self._app.backend()).sources.find(name)

    async def take_permit(self, name: str, lease: Lease | None = None, *, hop_of: int | None = None) -> Permit:
        """Spend one permit now, or learn when to ask again."""
        return await (await self._app.backend()).sources.take_permit(name, lease, hop_of=hop_of)

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        return await (await self._app.backend()).sources.report(report)
