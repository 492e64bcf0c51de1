"""Objects as they should be: registers, and the lock that a job or a named lease is."""

from collections.abc import Hashable, Iterable
from typing import Any

from dibs.engine.states import FINAL, REVIVABLE, UNFINISHED, WAITING, State
from dibs.torture.checker.linearizing import Call
from dibs.torture.history.recording import DUPLICATE, KEPT
from dibs.torture.history.records import Move

# Nobody holds it since its holder let go, or since it was taken from whoever held it.
NOBODY, TAKEN = -1, -2
JobState = tuple[State | None, int, int]


class RegisterModel:
    """One value. What: ("read",), ("write", value), ("swap", old, new); a swap answers whether it swapped."""

    start: Hashable = None

    def step(self, state: Any, call: Call) -> Iterable[Hashable]:
        """Read, write or compare and set."""
        verb, *values = call.what
        if verb == "read":
            return (state,) if call.is_open or call.answer == (state,) else ()
        if verb == "write":
            return (values[0],)
        if call.is_open:
            return (values[1],) if state == values[0] else (state,)
        if (state == values[0]) is not call.answer:
            return ()
        return (values[1] if call.answer else state,)


class TextModel:
    """One text. What: ("get",), ("put", text), ("append", text)."""

    start: Hashable = ""

    def step(self, state: Any, call: Call) -> Iterable[Hashable]:
        """Read, replace or append."""
        verb, *values = call.what
        if verb == "get":
            return (state,) if call.is_open or call.answer == state else ()
        return (values[0] if verb == "put" else state + values[0],)


class LeaseModel:
    """One named lease. State: its holder's token (NOBODY: free), and the highest token so far.

    What: (move, token). An acquisition answers its token, or None; the others answer whether they were accepted. A
    lease may lapse by itself, so another may always take it.
    """

    start: Hashable = (NOBODY, 0)

    def step(self, state: Any, call: Call) -> Iterable[Hashable]:
        """Take, keep or give up."""
        held, highest = state
        move, token = call.what
        if move is Move.ACQUIRE:
            return self._acquire(state, call)
        if call.is_open:
            return ((NOBODY, highest),) if move is Move.RELEASE and held == token else (state,)
        if not call.answer:
            # One that lapsed can still be renewed while nobody else took it, but need not be there to be given up.
            return (state,) if move is Move.RELEASE or held != token else ()
        if held != token:
            return ()
        return ((NOBODY, highest),) if move is Move.RELEASE else (state,)

    def _acquire(self, state: Any, call: Call) -> Iterable[Hashable]:
        held, highest = state
        if call.is_open:
            # Its token is not known, but is no lower than this.
            return ((highest + 1, highest + 1),)
        if call.answer is None:
            return (state,) if held != NOBODY else ()
        return ((call.answer, call.answer),) if call.answer > highest else ()


class JobModel:
    """One job. State: where it stands, its holder's token, the highest token granted. What: (move, token)."""

    start: Hashable = (None, NOBODY, 0)

    def step(self, state: JobState, call: Call) -> Iterable[Hashable]:
        """Do one move, as the contract says."""
        move, token = call.what
        if move in ENDINGS:
            return self._end(state, call, move, token)
        if move in (Move.HEARTBEAT, Move.PROGRESS):
            return (state,) if call.is_open or is_held(state, token) is call.answer else ()
        return getattr(self, f"_{move}")(state, call, token)  # type: ignore[no-any-return]

    def _end(self, state: JobState, call: Call, move: Move, token: int) -> Iterable[Hashable]:
        if not is_held(state, token):
            return (state,) if call.is_open or not call.answer else ()
        if call.is_open:
            return [(after, NOBODY, token) for after in ENDINGS[move]]
        if not call.answer:
            return ()
        after = State(call.answer) if move is Move.FAIL else ENDINGS[move][0]
        return ((after, NOBODY, token),) if after in ENDINGS[move] else ()

    def _enqueue(self, state: JobState, call: Call, _: int) -> Iterable[Hashable]:
        if call.answer == KEPT:
            return (state,)
        if state[0] is None:
            return () if call.answer == DUPLICATE else ((State.PENDING, NOBODY, 0),)
        return (state,) if call.is_open or call.answer == DUPLICATE else ()

    def _claim(self, state: JobState, _: Call, token: int) -> Iterable[Hashable]:
        return ((State.RUNNING, token, token),) if state[0] in WAITING and token > state[2] else ()

    def _reap(self, state: JobState, call: Call, token: int) -> Iterable[Hashable]:
        if not is_held(state, token):
            return ()
        after = (State.PENDING, State.FAILED) if call.is_open else (State(call.answer),)
        return [(one, TAKEN, token) for one in after]

    def _cancel(self, state: JobState, call: Call, _: int) -> Iterable[Hashable]:
        if call.is_open:
            return ((State.CANCELLED, TAKEN, state[2]),) if state[0] in UNFINISHED else (state,)
        if call.answer == "cancelled":
            return ((State.CANCELLED, TAKEN, state[2]),) if state[0] in UNFINISHED else ()
        is_fit = state[0] in FINAL if call.answer == "already_final" else state[0] is None
        return (state,) if is_fit else ()

    def _retry(self, state: JobState, call: Call, _: int) -> Iterable[Hashable]:
        if call.is_open:
            return ((State.PENDING, TAKEN, state[2]),) if state[0] in REVIVABLE else (state,)
        if call.answer == "retried":
            return ((State.PENDING, TAKEN, state[2]),) if state[0] in REVIVABLE else ()
        fits = {"missing": state[0] is None, "not_revivable": state[0] not in REVIVABLE, "key_taken": True}
        return (state,) if fits[call.answer] else ()

    def _read(self, state: JobState, call: Call, _: int) -> Iterable[Hashable]:
        seen, token = call.answer
        fits = {NOBODY: token >= state[2], TAKEN: token > state[2]}.get(state[1], token == state[1])
        return (state,) if seen == state[0] and fits else ()


ENDINGS: dict[Move, tuple[State, ...]] = {
    Move.COMPLETE: (State.SUCCEEDED,),
    Move.FAIL: (State.RETRYABLE, State.FAILED, State.PENDING),
    Move.SNOOZE: (State.PENDING,),
    Move.DROP: (State.CANCELLED,),
}


def is_held(state: JobState, token: int) -> bool:
    """Tell whether the job runs under this token."""
    return state[0] is State.RUNNING and state[1] == token
