"""What all rules of a history stand on."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any, ClassVar, TypeVar

from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dibs.engine.job import Job
from dibs.testing.harness import StoreHarness
from dibs.testing.machine.pair import Operation, Pair
from dibs.testing.machine.values import SPANS

Result = TypeVar("Result")
Given = TypeVar("Given")
Jobs = tuple[list[Job], list[Job]]


class Stage(RuleBasedStateMachine):
    """Set `make_harness` in a subclass, or on the class before running."""

    make_harness: ClassVar[Callable[[], Awaitable[StoreHarness]]]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.pair = self.run(self._begin())

    async def _begin(self) -> Pair:
        pair = Pair(await type(self).make_harness())
        await pair.begin()
        return pair

    def teardown(self) -> None:
        """Let go of the store."""
        self.run(self.pair.end())
        self.run(self.pair.harness.close())
        self.runner.close()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run one step to its end."""
        return self.runner.run(work)

    def do(self, operation: Operation) -> None:
        """Make one move on both sides and compare the answers."""
        self.run(self.pair.do(operation))

    def do_whole(self, operation: Operation) -> None:
        """Make several moves, all or none."""
        self.run(self.pair.do_whole(operation))

    def look(self, operation: Operation) -> None:
        """Compare what both sides say, without moving anything."""
        self.run(self.pair.do(operation))

    def make_jobs(self, batch: Sequence[dict[str, Any]]) -> Jobs:
        """Make the jobs for each side: those for a certain instant by its own clock."""
        nows = self.run(self.pair.read_clocks())
        model, real = ([_make_job(now, **facts) for facts in batch] for now in nows)
        return model, real

    def pick(self, numbers: list[int], given: Sequence[Given]) -> list[Given]:
        """Choose from all that was ever given out, stale or not, each at most once; nothing if nothing was."""
        if not given:
            return []
        return [given[index] for index in dict.fromkeys(number % len(given) for number in numbers)]

    @rule(span=SPANS)
    def wait(self, span: timedelta) -> None:
        """Let time pass in the store."""
        self.run(self.pair.advance(span))

    @invariant()
    def everything_agrees(self) -> None:
        """Compare all that can be seen."""
        self.run(self.pair.check())


def _make_job(now: Any, *, due_in: Any, **facts: Any) -> Job:
    return Job(**facts, run_at=None if due_in is None else now + due_in)
