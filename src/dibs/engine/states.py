"""The states of a job, and which moves exist between them."""

from enum import StrEnum


class State(StrEnum):
    """Where a job stands."""

    PENDING = "pending"
    RUNNING = "running"
    RETRYABLE = "retryable"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


WAITING = frozenset({State.PENDING, State.RETRYABLE})
UNFINISHED = WAITING | {State.RUNNING}
FINAL = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})
REVIVABLE = frozenset({State.FAILED, State.CANCELLED})

MOVES: dict[State | None, frozenset[State]] = {
    None: frozenset({State.PENDING}),
    State.PENDING: frozenset({State.RUNNING, State.CANCELLED}),
    State.RETRYABLE: frozenset({State.RUNNING, State.CANCELLED}),
    State.RUNNING: frozenset(State) - {State.RUNNING},
    State.SUCCEEDED: frozenset(),
    State.FAILED: frozenset({State.PENDING}),
    State.CANCELLED: frozenset({State.PENDING}),
}
