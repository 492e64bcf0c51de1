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


# Names for where every job passes: until Python 3.12, each look at a member of an enum costs as much as a call.
PENDING, RUNNING, RETRYABLE, SUCCEEDED = State.PENDING, State.RUNNING, State.RETRYABLE, State.SUCCEEDED

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
