"""`dibs db retention`: what workers would forget now, without forgetting it."""

from collections.abc import Iterator

import msgspec

from dibs.cli.loading import load_app
from dibs.cli.options import AppPath, AsJson, Url
from dibs.cli.printing import output
from dibs.cli.stores import on_store
from dibs.engine.app import App
from dibs.engine.retention import Retention
from dibs.engine.store.backend import Backend
from dibs.engine.store.checks.values import LARGEST_BATCH
from dibs.engine.store.moves import PruneRequest
from dibs.kit.figures import show_span
from dibs.settings import Settings


class Forgettable(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule would forget. A count that reaches the most that is counted stands for that or more."""

    what: str
    job_types: tuple[str, ...] | None = None
    kept_for: str = ""
    count: int


def retention(app_path: AppPath = None, url: Url = None, *, as_json: AsJson = False) -> None:
    """Tell what workers would forget now: finished jobs, and pages of the response cache that were kept long enough.

    With --app, by what its tasks say; without, by the settings and for jobs of all types. Nothing is forgotten.
    """
    app = load_app(app_path, url=url) if app_path else None
    settings = Settings.from_env() if app is None else app.settings
    requests = list(_list_requests(settings if app is None else app))

    async def count(backend: Backend) -> list[Forgettable]:
        jobs = [_describe(request, await backend.prune_jobs(request)) for request in requests]
        return [*jobs, await _count_pages(settings, url)]

    found = on_store(url, count)
    if as_json:
        output.show_json({"forgettable": found, "counted_at_most": LARGEST_BATCH})
        return
    for one in found:
        types = "" if one.job_types is None else f" of {', '.join(one.job_types)}"
        kept = f", kept for {one.kept_for}" if one.kept_for else ""
        output.show_line(f"{one.count:,} {one.what}{types}{kept}")


def _list_requests(of: App | Settings) -> Iterator[PruneRequest]:
    if isinstance(of, App):
        rules: Iterator[PruneRequest] = of.find_retention().requests(tuple(of.tasks))
    else:
        rules = Retention.of(of).requests_for_all()
    for request in rules:
        yield msgspec.structs.replace(request, limit=LARGEST_BATCH, dry_run=True)


def _describe(request: PruneRequest, count: int) -> Forgettable:
    states = " and ".join(sorted(request.states))
    span = show_span(request.older_than)
    return Forgettable(what=f"{states} jobs", job_types=request.job_types, kept_for=span, count=count)


async def _count_pages(settings: Settings, url: str | None) -> Forgettable:
    # Here, and not above: the command line must start quickly, and without the extras.
    from dibs.outside.cache import CachePrune, find_cache_file, make_cache

    file, count = find_cache_file(settings, url), 0
    if file is None or file.exists():
        cache = make_cache(settings, url)
        try:
            count = await cache.prune(CachePrune(limit=LARGEST_BATCH, dry_run=True))
        finally:
            await cache.close()
    return Forgettable(what="pages of the response cache", count=count)
