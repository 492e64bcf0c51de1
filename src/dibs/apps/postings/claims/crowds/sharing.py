"""Work that is done once for all who wait for it."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
# What ends the task, or the whole program, and not only the work.
_ENDS = (asyncio.CancelledError, KeyboardInterrupt, SystemExit)


class Shared(Generic[Asked, Answer]):
    """Gathers what is asked while the work for the last ones goes on, and does the next work for all of it.

    `work` is given a tenant and what was asked, and gives one answer for each. Nobody gets an answer of work that had
    begun before they asked.
    """

    def __init__(
        self, work: Callable[[str, Sequence[Asked]], Awaitable[Sequence[Answer]]], *, most: int, at_once: int
    ) -> None:
        self._work = work
        self._most = most
        self._turns = asyncio.Semaphore(at_once)
        self._waiting: defaultdict[str, list[tuple[Asked, asyncio.Future[Answer]]]] = defaultdict(list)
        self._working: dict[str, asyncio.Task[None]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits, and nothing is done."""
        return not self._waiting and not self._working

    async def ask(self, tenant: str, asked: Asked) -> Answer:
        """Wait for the next work of a tenant, and give its answer, or raise what it failed with."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[tenant].append((asked, answer))
        if tenant not in self._working:
            self._working[tenant] = asyncio.create_task(self._go_on(tenant))
        return await answer

    async def _go_on(self, tenant: str) -> None:
        """Work until nobody waits."""
        try:
            while tenant in self._waiting:
                async with self._turns:
                    # Taken before the work begins: who comes later is answered by what is done later.
                    waiting = self._waiting.pop(tenant)
                    for start in range(0, len(waiting), self._most):
                        await self._answer(tenant, waiting[start : start + self._most])
        finally:
            del self._working[tenant]

    async def _answer(self, tenant: str, waiting: Sequence[tuple[Asked, "asyncio.Future[Answer]"]]) -> None:
        # Who has left meanwhile asks for nothing any more.
        waiting = [one for one in waiting if not one[1].done()]
        try:
            answers = await self._work(tenant, [asked for asked, _ in waiting]) if waiting else []
        except BaseException as error:
            # Whatever it was, each of them is told: nobody else would ever answer them.
            for _, future in waiting:
                if not future.done():
                    future.set_exception(error)
            if isinstance(error, _ENDS):
                raise
            return
        for (_, future), answer in zip(waiting, answers, strict=True):
            if not future.done():
                future.set_result(answer)
