"""Spans across enqueue and execution. The tracer here keeps what it is told, on the interfaces of OpenTelemetry."""

import sys

import pytest
from opentelemetry import trace

import dibs
from dibs.engine.telemetry.traces import bind_traces


class Kept(trace.NonRecordingSpan):
    """A span that remembers."""

    def __init__(self, context, name, facts):
        super().__init__(context)
        self.name, self.facts = name, facts
        self.attributes = dict(facts["attributes"])
        self.status = None
        self.has_ended = False

    def set_attribute(self, key, value):
        self.attributes[key] = value

    def set_status(self, status, description=None):
        self.status = status

    def end(self, end_time=None):
        self.has_ended = True

    def is_recording(self):
        return True


class Keeper:
    """Makes spans below the one that is current, or the one of a context that is given."""

    def __init__(self):
        self.spans = []

    def start_span(self, name, context=None, **facts):
        parent = trace.get_current_span(context).get_span_context()
        self.spans.append(Kept(parent, name, {**facts, "parent": parent}))
        return self.spans[-1]

    def named(self, name):
        return [span for span in self.spans if span.name == name]


@pytest.fixture
async def keeper():
    return Keeper()


@pytest.fixture
async def app(keeper):
    app = dibs.Dibs("memory://")
    bind_traces(app, keeper)

    @app.task("GREET")
    async def greet(ctx: dibs.Context, name: str) -> str:
        await ctx.enqueue("FAIL")
        return f"hello {name}"

    @app.task("FAIL", max_retries=0)
    async def fail() -> None:
        raise dibs.Permanent("marker")

    async with app:
        yield app


async def run(app):
    job = await app.enqueue("GREET", {"name": "marker"}, tenant="acme")
    await app.make_worker(until_drained=True).run()
    return job


async def test_storing_links_to_the_trace_that_running_is_in(app, keeper):
    job = await run(app)
    [stored], [ran] = keeper.named("enqueue GREET"), keeper.named("run GREET")
    [link] = stored.facts["links"]
    assert link.context.trace_id == ran.facts["parent"].trace_id != 0
    assert link.context.span_id == ran.facts["parent"].span_id
    assert (stored.facts["kind"], ran.facts["kind"]) == (trace.SpanKind.PRODUCER, trace.SpanKind.CONSUMER)
    assert ran.attributes["messaging.message.id"] == job.id
    assert (ran.attributes["dibs.tenant"], ran.attributes["dibs.attempt"]) == ("acme", 1)
    assert all(span.has_ended for span in keeper.spans)


async def test_a_child_is_stored_in_the_trace_of_its_parent(app, keeper):
    await run(app)
    [child], [ran] = keeper.named("enqueue FAIL"), keeper.named("run GREET")
    assert child.facts["parent"].trace_id == ran.facts["parent"].trace_id
    assert child.facts["links"][0].context.trace_id == keeper.named("run FAIL")[0].facts["parent"].trace_id


async def test_of_an_error_and_of_payload_nothing_is_told_but_the_class(app, keeper):
    await run(app)
    [failed] = keeper.named("run FAIL")
    assert (failed.attributes["error.type"], failed.status.status_code) == ("Permanent", trace.StatusCode.ERROR)
    told = [(span.name, span.attributes, span.status and span.status.description) for span in keeper.spans]
    assert "marker" not in str(told)


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.5, 20, 80), (1.0, 100, 100)])
async def test_a_share_of_all_jobs_is_traced(keeper, share, least, most):
    async with dibs.Dibs("memory://") as app:
        bind_traces(app, keeper, share=share)
        await app.enqueue_many("GREET", [{}] * 100)
    traced = sum(span.facts["links"][0].context.trace_flags.sampled for span in keeper.spans)
    assert least <= traced <= most


async def test_a_share_that_makes_no_sense_is_refused():
    with pytest.raises(dibs.BadInput, match="from 0 to 1"):
        bind_traces(dibs.Dibs("memory://"), share=2)


async def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(dibs.MissingExtra, match=r"dibs\[otel\]"):
        bind_traces(dibs.Dibs("memory://"))
