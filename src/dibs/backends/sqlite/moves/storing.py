"""How jobs come in."""

import sqlite3

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.governing.lanes import LANED, Stray, find_place, join_all, leave_lane
from dibs.backends.sqlite.governing.rulebook import RuleBook, find_book
from dibs.backends.sqlite.moves.keys import find_rival
from dibs.backends.sqlite.rows import SEQ, instant, to_job
from dibs.backends.sqlite.transactions.transaction import CLOCK_STEP_MICROS, Row, Transaction
from dibs.engine.job import Job
from dibs.engine.states import WAITING
from dibs.engine.store.moves import OnConflict, StoreRequest
from dibs.errors import DuplicateJob
from dibs.kit.clock import span_micros, to_micros

Stored = list[Job | None]
_QUEUE, _READY, _PRIORITY, _RUN_AT, _INPUT = 3, 5, 6, 7, 10


def store(transaction: Transaction, request: StoreRequest) -> tuple[int, Stored]:
    """Store jobs as pending; gives the store's time, and, where keys had to be looked up, the answers."""
    first = transaction.take_numbers("job", len(request.jobs))
    if any(job.unique_key is not None for job in request.jobs):
        _refuse_known_ids(transaction, request, first)
        return transaction.now, _store_one_by_one(transaction, request, first)
    try:
        _store_together(transaction, request, first)
    except sqlite3.IntegrityError:
        _refuse_known_ids(transaction, request, first)
        raise
    return transaction.now, []


def answers(request: StoreRequest, stored: tuple[int, Stored]) -> Stored:
    """Give what became of each job of a request, out of what `store` gave."""
    now, looked_up = stored
    return looked_up or [*_tell_all(request, now)]


def _tell_all(request: StoreRequest, now: int) -> list[Job]:
    created_at = instant(now)
    return [request.as_told(place, created_at) for place in range(len(request.jobs))]


def _refuse_known_ids(transaction: Transaction, request: StoreRequest, first: int) -> None:
    ids = msgspec.json.encode([job.id for job in request.jobs]).decode()
    known = {row[0] for row in transaction.read("storing/find_known_ids", ids, first)}
    for job in request.jobs:
        if job.id in known:
            raise DuplicateJob.of(job.id)


def _store_together(transaction: Transaction, request: StoreRequest, first: int) -> None:
    rows, book = _plain_rows(transaction, request, first), find_book(transaction)
    if book.governs_plain or any(map(_is_rare, request.jobs)):
        transaction.write_many("storing/add_job", _full_rows(transaction, book, request, rows))
    else:
        # The driver takes three times as long to bind None as to bind a number.
        transaction.write_many("storing/add_plain_job", rows)
    transaction.announce({row[_QUEUE] for row in rows if row[_READY]})


def _is_rare(job: Job) -> bool:
    return bool(job.concurrency_key or job.source or job.parent_id or job.max_cost_microcents)


def _full_rows(transaction: Transaction, book: RuleBook, request: StoreRequest, rows: list[Row]) -> list[Row]:
    """Add what few jobs have, and stand those in their lanes that are governed and due."""
    pairs = list(zip(rows, request.jobs, strict=True))
    governed = [Stray.of(job, row[SEQ]) for row, job in pairs if row[_READY] and book.is_governed(job)]
    lanes = join_all(transaction, governed)
    return [_standing_in(row, lanes.get(row[SEQ])) + _rare_fields(job, lanes.get(row[SEQ])) for row, job in pairs]


def _standing_in(row: Row, lane: int | None) -> Row:
    return row if lane is None else (*row[:_READY], LANED, *row[_READY + 1 :])


def _store_one_by_one(transaction: Transaction, request: StoreRequest, first: int) -> Stored:
    """Keys are looked up one after another: an earlier job of the batch may hold the key of a later one."""
    rows = _plain_rows(transaction, request, first)
    jobs = _tell_all(request, transaction.now)
    return [_store_one(transaction, request, row, job) for row, job in zip(rows, jobs, strict=True)]


def _plain_rows(transaction: Transaction, request: StoreRequest, first: int) -> list[Row]:
    now = transaction.now
    due_by = now + CLOCK_STEP_MICROS
    fixed = None if request.delay is None else now + span_micros(request.delay)
    rows: list[Row] = []
    for seq, (job, encoded) in enumerate(zip(request.jobs, request.inputs, strict=True), first):
        run_at = fixed or (now if job.run_at is None else to_micros(job.run_at))
        is_ready = 1 if run_at < due_by else 0
        where = (job.tenant, job.queue, job.job_type)
        rows.append((seq, job.id, *where, is_ready, job.priority, run_at, job.max_retries, now, encoded.decode()))
    return rows


def _rare_fields(job: Job, lane: int | None) -> Row:
    return job.unique_key, job.concurrency_key, job.source, job.parent_id, job.max_cost_microcents, lane


def _store_one(transaction: Transaction, request: StoreRequest, row: Row, new: Job) -> Job | None:
    rival = find_rival(transaction, new, request.unique)
    if rival is None:
        _, lane = find_place(transaction, find_book(transaction), new, row[SEQ], row[_RUN_AT])
        transaction.write("storing/add_job", *_standing_in(row, lane), *_rare_fields(new, lane))
        if row[_READY]:
            transaction.announce((new.queue,))
        return new
    if request.unique.on_conflict is OnConflict.KEEP:
        return None
    if request.unique.on_conflict is OnConflict.REPLACE and to_job(rival).state in WAITING:
        return _replace(transaction, rival, row)
    return to_job(rival)


def _replace(transaction: Transaction, rival: Row, row: Row) -> Job:
    seq, old = rival[SEQ], to_job(rival)
    leave_lane(transaction, seq)
    if row[_READY]:
        transaction.announce((old.queue,))
    again, run_at = replace(old, priority=row[_PRIORITY]), row[_RUN_AT]
    place = find_place(transaction, find_book(transaction), again, seq, run_at)
    return to_job(transaction.read("storing/replace_job", seq, *place, again.priority, run_at, row[_INPUT])[0])
