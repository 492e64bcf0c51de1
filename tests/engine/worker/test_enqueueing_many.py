"""Many jobs stored at once are checked and made together, as they would be one by one."""

from types import MappingProxyType
from typing import Any

import pytest

from dibs.engine.app import App
from dibs.engine.tasks.arguments import Arguments
from dibs.errors import BadInput

REFUSED = [
    {"count": "three"},
    {"other": 1},
    {},
    [3],
    None,
    MappingProxyType({"count": 3}),
    {3: 3},
]


def count(count: int) -> None: ...


def say_why(check: Any, given: Any) -> str:
    with pytest.raises(BadInput) as refused:
        check(given)
    return str(refused.value)


@pytest.mark.parametrize("odd", REFUSED, ids=repr)
def test_one_odd_input_among_many_is_refused_in_the_words_for_one(odd: Any) -> None:
    arguments = Arguments(count, name="COUNT")
    assert say_why(arguments.check_all, [{"count": 1}, odd, {"count": 2}]) == say_why(arguments.read, odd)


async def test_jobs_stored_together_differ_in_ids_and_inputs_only(app: App) -> None:
    app.task("COUNT", queue="slow", priority=4, concurrency_key="one", max_cost=2)(count)
    together = await app.enqueue_many("COUNT", [{"count": 1}, {"count": 2}], tenant="acme")
    alone = [await app.enqueue("COUNT", {"count": n}, tenant="acme") for n in (1, 2)]
    assert len({job.id for job in together if job}) == 2
    assert [facts_of(job) for job in together] == [facts_of(job) for job in alone]


def facts_of(job: Any) -> tuple[Any, ...]:
    names = ("tenant", "queue", "priority", "max_retries", "concurrency_key", "max_cost_microcents", "input")
    return tuple(getattr(job, name) for name in names)


async def test_keys_made_of_arguments_differ_from_job_to_job(app: App) -> None:
    app.task("COUNT", concurrency_key="account:{count}")(count)
    jobs = await app.enqueue_many("COUNT", [{"count": 1}, {"count": 2}])
    named = await app.enqueue_many("COUNT", [{"count": 1}, {"count": 2}], concurrency_key="all")
    assert [job.concurrency_key for job in jobs if job] == ["account:1", "account:2"]
    assert [job.concurrency_key for job in named if job] == ["all", "all"]
