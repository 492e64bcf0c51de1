"""What a user of tasks can set, ask and watch is documented, or the build fails."""

import inspect
from typing import get_args

import pytest
from prometheus_client import CollectorRegistry

import dibs
from dibs.assembly import Dibs
from dibs.engine.events import EVENTS
from dibs.engine.sync import SyncApp
from dibs.engine.tasks import outcome
from dibs.engine.tasks.context import Context
from dibs.engine.tasks.task import EnqueueOptions, TaskSettings
from dibs.engine.telemetry.metrics import bind_metrics
from tests.docs.pages import DOCS

PAGE = (DOCS / "reference" / "tasks.md").read_text()
# Parts that the engine's own files share; a user of the app needs none of them.
INNER = {"add", "find_tasks", "enqueue_task", "enqueue_tasks"}


# How the worker speaks to a handler: no handler calls these.
FOR_THE_WORKER = {"ask", "cancel", "can_be_interrupted"}


def public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_documented(name):
    assert f"| `{name}` |" in section("Events")


def test_no_event_is_documented_that_does_not_exist():
    named = [line.split("`")[1] for line in section("Events").splitlines() if line.startswith("| `engine.")]
    assert sorted(named) == list(EVENTS)


@pytest.mark.parametrize("name", [*TaskSettings.__struct_fields__, "cpu_bound"])
def test_every_setting_of_a_task_is_documented(name):
    assert f"| `{name}` |" in section("Tasks")


@pytest.mark.parametrize("name", EnqueueOptions.__struct_fields__)
def test_every_option_of_an_enqueue_is_documented(name):
    assert f"`{name}`" in section("Enqueue")


@pytest.mark.parametrize("name", sorted(public(Context) - FOR_THE_WORKER | {"job", "output"}))
def test_everything_a_context_offers_is_documented(name):
    assert f"| `{name}" in section("Context")


@pytest.mark.parametrize("kind", get_args(outcome.Outcome))
def test_every_outcome_is_documented_and_public(kind):
    assert getattr(dibs, kind.__name__) is kind
    assert f"| `dibs.{kind.__name__}(" in section("Outcomes")


@pytest.mark.parametrize("name", sorted(dibs.WorkerOptions.__struct_fields__))
def test_every_option_of_a_worker_is_documented(name):
    assert f"| `{name}` |" in section("WorkerOptions")


@pytest.mark.parametrize("name", sorted((public(Dibs) | {"events", "sync", "tasks"}) - INNER))
def test_every_member_of_the_app_is_documented(name):
    assert name in section("The app")


@pytest.mark.parametrize("name", sorted(public(SyncApp)))
def test_every_verb_without_await_is_documented(name):
    assert f"| `{name}(" in (DOCS / "how-to" / "use-it-without-async.md").read_text()


def test_every_metric_is_documented():
    registry = CollectorRegistry()
    bind_metrics(dibs.Dibs("memory://").events, registry)
    page = (DOCS / "how-to" / "watch-what-happens.md").read_text()
    names = {family.name for family in registry.collect()}
    assert names
    assert {name for name in names if f"`{name}_total`" not in page and f"`{name}`" not in page} == set()
