"""Is there an order of calls that a simple model could have seen?

A search in the manner of Wing and Gong with Lowe's memory of what was tried: calls are put in an order that respects
real time (what ended before another began stays before it), the model says what may follow, and no pair of calls done
and state reached is visited twice. A call whose end is unknown may happen at any later time, or never.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Protocol

import msgspec

DEFAULT_BUDGET = 2_000_000


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call to one object. `answer` is None where none came; then `ended` is infinite.

    `only_looks` says that, answered like this, it changes nothing wherever it stands.
    """

    began: float
    ended: float = math.inf
    what: Any
    answer: Any = None
    only_looks: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nobody knows if it happened."""
        return math.isinf(self.ended)


class Model(Protocol):
    """An object as it should be."""

    @property
    def start(self) -> Hashable:
        """The state before the first call."""

    def step(self, state: Any, call: Call) -> Iterable[Hashable]:
        """Give the states that the call can lead to; none if its answer is impossible here."""


class Verdict(StrEnum):
    """What the search found."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNDECIDED = "undecided"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict, and of a broken history the calls that could not follow on the longest order found."""

    verdict: Verdict
    stuck: list[Call] = []


def find_order(model: Model, calls: Sequence[Call], *, budget: int = DEFAULT_BUDGET) -> Finding:
    """Look for an order; give up after so many steps."""
    return _Search(model, calls, budget).run()


def judge_parts(model: Model, parts: Iterable[Sequence[Call]], *, budget: int = DEFAULT_BUDGET) -> Verdict:
    """Judge many objects: a history is linearizable if that of each is, so that one broken object settles it.

    Short searches come first, since of many broken objects most are found out quickly.
    """
    left = list(parts)
    for allowed in (budget // 100, budget):
        found = [(part, find_order(model, part, budget=allowed).verdict) for part in left]
        if any(verdict is Verdict.BROKEN for _, verdict in found):
            return Verdict.BROKEN
        left = [part for part, verdict in found if verdict is Verdict.UNDECIDED]
    return Verdict.UNDECIDED if left else Verdict.HOLDS


class _Search:
    def __init__(self, model: Model, calls: Sequence[Call], budget: int) -> None:
        self._model = model
        self._calls = sorted(calls, key=lambda call: call.began)
        self._needed = sum(1 << index for index, call in enumerate(self._calls) if not call.is_open)
        self._budget = budget
        self._best = 0

    def run(self) -> Finding:
        seen: set[tuple[int, Hashable]] = {(0, self._model.start)}
        stack = [self._nexts(0, self._model.start)]
        if not self._needed:
            return Finding(verdict=Verdict.HOLDS)
        while stack:
            reached = next(stack[-1], None)
            if reached is None:
                stack.pop()
                continue
            if reached in seen:
                continue
            if reached[0] & self._needed == self._needed:
                return Finding(verdict=Verdict.HOLDS)
            if len(seen) >= self._budget:
                return Finding(verdict=Verdict.UNDECIDED)
            seen.add(reached)
            self._remember(reached[0])
            stack.append(self._nexts(*reached))
        return Finding(verdict=Verdict.BROKEN, stuck=[self._calls[index] for index in self._candidates(self._best)])

    def _nexts(self, done: int, state: Hashable) -> Iterator[tuple[int, Hashable]]:
        candidates = self._candidates(done)
        for index in candidates:
            if self._calls[index].only_looks and any(True for _ in self._model.step(state, self._calls[index])):
                # Where it fits, it may as well stand: whatever follows finds the same state.
                yield done | 1 << index, state
                return
        for index in sorted(candidates, key=lambda index: self._calls[index].ended):
            for after in self._model.step(state, self._calls[index]):
                yield done | 1 << index, after

    def _candidates(self, done: int) -> list[int]:
        """The calls that may come next: begun before every call that is not done yet has ended."""
        found: list[int] = []
        horizon = math.inf
        # Whatever stands before the first that is not done is done: long histories would be read again at every step.
        first = (~done & (done + 1)).bit_length() - 1
        for index in range(first, len(self._calls)):
            call = self._calls[index]
            if call.began > horizon:
                break
            if not done >> index & 1:
                found.append(index)
                horizon = min(horizon, call.ended)
        return [index for index in found if self._calls[index].began <= horizon]

    def _remember(self, done: int) -> None:
        if (done & self._needed).bit_count() > (self._best & self._needed).bit_count():
            self._best = done
