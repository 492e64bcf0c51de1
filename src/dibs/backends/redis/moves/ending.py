"""How a holder ends its work on a job."""

from collections.abc import Sequence
from typing import Any

from dibs.backends.redis.moves.claiming import Known
from dibs.backends.redis.rows import encode_error, pack, running_member
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.states import State
from dibs.engine.store.moves import Completion, Drop, Failure
from dibs.kit.clock import span_micros


class Ending:
    """Running jobs come to an end here."""

    _known: Known

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def complete(
        self,
        completions: Sequence[Completion],
        *,
        connection: Any = None,  # noqa: ARG002 (refused before it comes here: there are no transactions)
    ) -> list[bool]:
        """Move running jobs to succeeded."""
        args: list[Word] = []
        known = self._known
        for one in completions:
            args += (running_member(one.lease), one.output, one.cost_microcents, known.take(one.lease))
        answers = await self._lines.run_in_pieces("moves/complete", args, width=4, head=[known.worker])
        return [answer == 1 for answer in answers]

    async def fail(self, failures: Sequence[Failure]) -> list[State | None]:
        """Move running jobs to retryable, to failed, or, after a crash, to pending."""
        answers = await self._lines.run_in_pieces("moves/fail", [_pack_failure(failure) for failure in failures])
        return [None if answer is None else State(answer.decode()) for answer in answers]

    async def drop(self, drops: Sequence[Drop]) -> list[bool]:
        """Move running jobs to cancelled, by their holder."""
        args: list[Word] = []
        for one in drops:
            args += (running_member(one.lease), one.reason, one.cost_microcents)
        return [answer == 1 for answer in await self._lines.run_in_pieces("moves/drop", args, width=3)]


def _pack_failure(failure: Failure) -> bytes:
    return pack(
        (
            running_member(failure.lease),
            failure.kind.value,
            encode_error(failure.error).decode(),
            failure.error.type,
            span_micros(failure.retry_in),
            # As text: a number of Lua would lose the last digits of a large sum.
            str(failure.cost_microcents),
            failure.max_worker_deaths,
        )
    )
