"""Finding jobs by what they are, without reading ten million finished ones for three that failed.

Each state is read where it is dense: waiting and running jobs through the indexes of the hot path, unsuccessful ones
through their own, succeeded ones along the table itself.
"""

from collections.abc import Iterable
from heapq import merge
from itertools import islice

from dibs.backends.sqlite.rows import SEQ
from dibs.backends.sqlite.statements import JOB_COLUMNS
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter

_READY = "dibs_jobs INDEXED BY dibs_jobs_ready", "ready = 1"
_LANED = "dibs_jobs INDEXED BY dibs_jobs_lane", "ready = 2"
_LATER = "dibs_jobs INDEXED BY dibs_jobs_later", "ready = 0"
_RUNNING = "dibs_jobs INDEXED BY dibs_jobs_running", "lease_expires_at IS NOT NULL"
_UNSUCCESSFUL = "dibs_jobs INDEXED BY dibs_jobs_unsuccessful", "state IN ('failed', 'cancelled')"
_FINISHED = "dibs_jobs INDEXED BY dibs_jobs_finished", "finished_at IS NOT NULL"
_EVERYWHERE = "dibs_jobs", "1"
Place = tuple[str, str]

_LIST_PLACES: dict[State, tuple[Place, ...]] = {
    State.PENDING: (_READY, _LANED, _LATER),
    State.RETRYABLE: (_READY, _LANED, _LATER),
    State.RUNNING: (_RUNNING,),
    State.FAILED: (_UNSUCCESSFUL,),
    State.CANCELLED: (_UNSUCCESSFUL,),
    State.SUCCEEDED: (_EVERYWHERE,),
}
_COUNT_PLACES = (_READY, _LANED, _LATER, _RUNNING, _FINISHED)
_INDEXED_FIELDS = ("source", "parent_id", "unique_key")
_FIELDS = ("tenant", "queue", "job_type", *_INDEXED_FIELDS, "locked_by")


def list_newest(snapshot: Snapshot, wanted: JobFilter, numbers: tuple[int, int], limit: int) -> list[Row]:
    """Give the newest jobs that are meant, of those with these numbers, the second one not included."""
    conditions, values = _conditions(wanted)
    lists: list[Iterable[Row]] = []
    for (table, place), states in _places(wanted):
        met = [place, "seq >= ? AND seq < ?", *conditions, _one_of(states)]
        sql = f"SELECT {JOB_COLUMNS} FROM {table} WHERE {' AND '.join(met)} ORDER BY seq DESC LIMIT ?"
        lists.append(snapshot.query(sql, (*numbers, *values, *states, limit)))
    return list(islice(merge(*lists, key=lambda row: -row[SEQ]), limit))


def count_by_state(snapshot: Snapshot, wanted: JobFilter) -> dict[State, int]:
    """Count the jobs that are meant."""
    conditions, values = _conditions(wanted)
    states = _names(wanted.states)
    counts: dict[State, int] = {}
    for table, place in _count_places(wanted) if states else ():
        met = [place, *conditions, _one_of(states)]
        sql = f"SELECT state, count(*) FROM {table} WHERE {' AND '.join(met)} GROUP BY state"
        for state, count in snapshot.query(sql, (*values, *states)):
            counts[State(state)] = counts.get(State(state), 0) + count
    return counts


def count_by_queue(snapshot: Snapshot, tenant: str | None) -> list[tuple[str, State, int]]:
    """Count unfinished jobs by queue and state, through the indexes of the hot path."""
    conditions, values = _conditions(JobFilter(tenant=tenant))
    counted = []
    for table, place in (_READY, _LANED, _LATER, _RUNNING):
        met = " AND ".join([place, *conditions])
        sql = f"SELECT queue, state, count(*) FROM {table} WHERE {met} GROUP BY queue, state"
        counted += [(queue, State(state), count) for queue, state, count in snapshot.query(sql, tuple(values))]
    return counted


def _conditions(wanted: JobFilter) -> tuple[list[str], list[str]]:
    given = [(field, getattr(wanted, field)) for field in _FIELDS if getattr(wanted, field) is not None]
    return [f"{field} = ?" for field, _ in given], [value for _, value in given]


def _one_of(states: tuple[str, ...]) -> str:
    # The plus keeps the planner from sorting all rows of a state by an index that is ordered otherwise.
    return f"+state IN ({', '.join('?' * len(states))})"


def _names(states: frozenset[State] | None) -> tuple[str, ...]:
    return tuple(sorted(State if states is None else states))


def _places(wanted: JobFilter) -> list[tuple[Place, tuple[str, ...]]]:
    """Say where to look, and for which states there."""
    if _has_own_index(wanted) or wanted.states is None or len(wanted.states) == len(State):
        return [(_EVERYWHERE, _names(wanted.states))]
    places: dict[Place, list[str]] = {}
    for state in sorted(wanted.states):
        for place in _LIST_PLACES[state]:
            places.setdefault(place, []).append(state.value)
    return [(place, tuple(states)) for place, states in places.items()]


def _count_places(wanted: JobFilter) -> tuple[Place, ...]:
    return (_EVERYWHERE,) if _has_own_index(wanted) else _COUNT_PLACES


def _has_own_index(wanted: JobFilter) -> bool:
    return any(getattr(wanted, field) is not None for field in _INDEXED_FIELDS)
