"""Spans of OpenTelemetry, across enqueue and execution.

A job carries no headers. Its trace follows from its id: whoever stores it and whoever runs it, in any process, know the
same one. The span of storing stays in the trace of its caller, and links to that of the job, where all attempts are.
"""

import hashlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dibs.engine import events
from dibs.engine.events import Event
from dibs.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    from dibs.engine.app import App

_TRACE_BYTES, _SPAN_BYTES = 16, 8
_LOW = 2**64


def bind_traces(app: "App", tracer: Any = None, *, share: float = 1.0) -> None:
    """Make spans for the jobs that an app stores and runs, with the tracer of the process unless one is given.

    `share` of all jobs are traced: which, follows from the job, so that all who see it agree.
    """
    if not 0 <= share <= 1:
        message = f"share={share!r} makes no sense. Use a number from 0 to 1."
        raise BadInput(message)
    trace = _import_trace()
    spans = _Spans(trace, tracer or trace.get_tracer("dibs"), share)
    app.events.watch(spans.note)
    app.add_middleware(spans.run)


class _Spans:
    def __init__(self, trace: Any, tracer: Any, share: float) -> None:
        self._trace = trace
        self._tracer = tracer
        self._share = share

    def note(self, event: Event) -> None:
        """Make the span of a job that was stored."""
        if event.name != events.JOB_ENQUEUED:
            return
        facts = event.facts
        link = self._trace.Link(self._find_context(facts["job_id"]))
        attributes = _describe("send", facts["job_id"], facts["job_type"], facts["queue"], facts["tenant"])
        name, kind = f"enqueue {facts['job_type']}", self._trace.SpanKind.PRODUCER
        self._tracer.start_span(name, kind=kind, attributes=attributes, links=[link]).end()

    async def run(self, ctx: Any, call_next: Any) -> Any:
        """Put a span around a handler. Of an error it tells the class: what it says may be payload."""
        job, trace = ctx.job, self._trace
        attributes = _describe("process", job.id, job.job_type, job.queue, job.tenant) | {"dibs.attempt": ctx.attempt}
        parent = trace.set_span_in_context(trace.NonRecordingSpan(self._find_context(job.id)))
        span = self._tracer.start_span(
            f"run {job.job_type}", context=parent, kind=trace.SpanKind.CONSUMER, attributes=attributes
        )
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                return await call_next()
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
                raise

    def _find_context(self, job_id: str) -> Any:
        digest = hashlib.sha256(f"dibs.trace:{job_id}".encode()).digest()
        trace_id = int.from_bytes(digest[:_TRACE_BYTES], "big")
        span_id = int.from_bytes(digest[_TRACE_BYTES : _TRACE_BYTES + _SPAN_BYTES], "big")
        is_traced = trace_id % _LOW < self._share * _LOW
        flags = self._trace.TraceFlags(self._trace.TraceFlags.SAMPLED if is_traced else self._trace.TraceFlags.DEFAULT)
        return self._trace.SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)


def _describe(doing: str, job_id: str, job_type: str, queue: str, tenant: str) -> dict[str, Any]:
    return {
        "messaging.system": "dibs",
        "messaging.operation.type": doing,
        "messaging.message.id": job_id,
        "messaging.destination.name": queue,
        "dibs.job_type": job_type,
        "dibs.tenant": tenant,
    }


def _import_trace() -> Any:
    try:
        return import_module("opentelemetry.trace")
    except ModuleNotFoundError as cause:
        message = f"{cause.name} is not installed. Run: pip install 'dibs[otel]'"
        raise MissingExtra(message) from cause
