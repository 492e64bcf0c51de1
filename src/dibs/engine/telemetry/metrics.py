"""Events as Prometheus metrics."""

from importlib import import_module
from typing import Any

from dibs.engine import events
from dibs.engine.events import Event, Events
from dibs.errors import MissingExtra

_ENDINGS = {
    events.JOB_SUCCEEDED: "succeeded",
    events.JOB_ERRORED: "errored",
    events.JOB_SNOOZED: "snoozed",
    events.JOB_DROPPED: "dropped",
    events.JOB_RELEASED: "released",
}
_LABELS = ("job_type", "queue")
# Whoever may enqueue may name types and queues as they like: the first so many have series of their own.
MOST_SERIES = 1_000
OTHER = "(other)"


class Series:
    """The series of one metric, by type and queue. Asking for one here costs a tenth of asking for it there."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._known: dict[tuple[str, ...], Any] = {}

    def of(self, job_type: str, queue: str, *more: str) -> Any:
        """Give the series; those that come late share one."""
        labels = (job_type, queue, *more)
        found = self._known.get(labels)
        if found is None:
            if len(self._known) >= MOST_SERIES:
                return self._metric.labels(OTHER, OTHER, *more)
            found = self._known[labels] = self._metric.labels(*labels)
        return found


def bind_metrics(tell: Events, registry: Any = None) -> None:
    """Count and time jobs in a Prometheus registry (the default one unless given)."""
    prometheus = _import_prometheus()
    where = {"registry": registry or prometheus.REGISTRY}
    enqueued = Series(prometheus.Counter("dibs_jobs_enqueued", "Jobs stored by this process", _LABELS, **where))
    claimed = Series(prometheus.Counter("dibs_jobs_claimed", "Jobs claimed by this process", _LABELS, **where))
    ended = Series(prometheus.Counter("dibs_jobs_ended", "Executions that ended", (*_LABELS, "outcome"), **where))
    times = prometheus.Histogram("dibs_job_seconds", "Seconds from claim to the handler's end", _LABELS, **where)
    seconds = Series(times)
    reclaimed = prometheus.Counter("dibs_jobs_reclaimed", "Jobs taken from workers that vanished", **where)
    lost = prometheus.Counter("dibs_leases_lost", "Leases that somebody else took over", **where)
    threads = prometheus.Counter("dibs_threads_left_behind", "Threads whose handler did not stop when told", **where)
    faults = prometheus.Counter("dibs_store_faults", "Calls to the store that failed", ("while_doing",), **where)

    def count_job(event: Event, counter: Series) -> None:
        counter.of(event.facts["job_type"], event.facts["queue"]).inc()

    def count_ending(event: Event, outcome: str) -> None:
        job_type, queue = event.facts["job_type"], event.facts["queue"]
        ended.of(job_type, queue, outcome).inc()
        seconds.of(job_type, queue).observe(event.facts["seconds"])

    @tell.watch
    def count(event: Event) -> None:
        if event.name in _ENDINGS:
            count_ending(event, _ENDINGS[event.name])
        elif event.name in (events.JOB_ENQUEUED, events.JOB_CLAIMED):
            count_job(event, enqueued if event.name == events.JOB_ENQUEUED else claimed)
        elif event.name == events.JOB_RECLAIMED:
            reclaimed.inc()
        elif event.name == events.LEASE_LOST:
            lost.inc()
        elif event.name == events.THREAD_LEFT:
            threads.inc()
        elif event.name == events.STORE_FAULTED:
            faults.labels(event.facts["while_doing"]).inc()


def _import_prometheus() -> Any:
    try:
        return import_module("prometheus_client")
    except ModuleNotFoundError as cause:
        message = "prometheus_client is not installed. Run: pip install 'dibs[metrics]'"
        raise MissingExtra(message) from cause
