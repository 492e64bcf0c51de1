"""Figures for Prometheus: what this process did, and how many jobs stand where."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dibs.engine.events import Events
from dibs.engine.store.backend import Backend
from dibs.engine.telemetry.metrics import bind_metrics
from dibs.server.hub import Hub

# Others are refused, and counted under one name: whoever knows no key can make up as many as they like.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)


class Figures:
    """One registry a server, so that several in one process do not share theirs."""

    def __init__(self, events: Events, hub: Hub) -> None:
        self._registry = where = CollectorRegistry()
        bind_metrics(events, where)
        labels = ("method", "route", "status")
        self._requests = Counter("dibs_http_requests", "Requests answered", labels, registry=where)
        self._seconds = Histogram(
            "dibs_http_request_seconds", "Seconds to the answer's head", ("route",), registry=where, buckets=_BUCKETS
        )
        # Looking a series up by its labels costs more than counting.
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._jobs = Gauge("dibs_queue_jobs", "Unfinished jobs in the store", ("queue", "state"), registry=where)
        self._workers = Gauge("dibs_workers", "Workers that are alive", registry=where)
        Gauge("dibs_http_streams", "Streams and waits that are open", registry=where).set_function(lambda: hub.watchers)

    async def write(self, backend: Backend) -> bytes:
        """Count what is in the store, and write everything."""
        queues = await backend.reader.count_queues()
        self._workers.set(len(await backend.workers.list_workers()))
        self._jobs.clear()
        for queue, states in queues.items():
            for state, count in states.items():
                self._jobs.labels(queue, state.value).set(count)
        return generate_latest(self._registry)

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request, by its route and not by its path: ids would make a series each."""
        method = scope["method"] if scope["method"] in _METHODS else "other"
        key = (method, getattr(scope.get("route"), "path", "none"), status)
        found = self._series.get(key)
        if found is None:
            pair = self._requests.labels(method, key[1], str(status)), self._seconds.labels(key[1])
            found = self._series[key] = pair
        found[0].inc()
        found[1].observe(seconds)


class Counting:
    """Counts every request that passes."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._figures.note(scope, message["status"], time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, noting)
