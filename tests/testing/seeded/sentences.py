"""Single sentences of the suite, run on any store without a test runner: so fast that each bug can have its own run."""

import inspect
from collections.abc import Awaitable, Callable, Iterator
from itertools import product
from typing import Any

import pytest

from dibs.errors import DibsError
from dibs.testing import BackendSuite, StoreHarness

# How a sentence fails. Anything else is a bug of the bug: a class or a statement that does not even run.
FAILURES = (AssertionError, pytest.fail.Exception, DibsError, ValueError)
MakeHarness = Callable[[], Awaitable[StoreHarness]]


class Everything(BackendSuite):
    """All sentences, also those that not every store knows yet."""


async def find_failure(name: str, make_harness: MakeHarness) -> BaseException | None:
    """Run a sentence with each of its parameters until it fails."""
    for values in _each_case(getattr(Everything, name)):
        try:
            await _run(name, values, await make_harness())
        except FAILURES as error:
            return error
    return None


async def _run(name: str, values: dict[str, Any], harness: StoreHarness) -> None:
    sentence = getattr(Everything(), name)
    await harness.reset()
    async with await harness.open(worker_id="worker-1") as backend:
        known = {"backend": backend, "harness": harness, **values}
        await sentence(**{parameter: known[parameter] for parameter in inspect.signature(sentence).parameters})


def _each_case(sentence: Any) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in getattr(sentence, "pytestmark", []) if mark.name == "parametrize"]
    choices = [[_named(mark.args[0], value) for value in mark.args[1]] for mark in marks]
    for chosen in product(*choices):
        yield {name: value for case in chosen for name, value in case.items()}


def _named(names: str | tuple[str, ...], value: Any) -> dict[str, Any]:
    split = names.split(",") if isinstance(names, str) else names
    values = (value,) if len(split) == 1 else value
    return dict(zip((name.strip() for name in split), values, strict=True))
