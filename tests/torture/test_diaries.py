"""Diaries are true whatever happens to those who write them."""

import math
import time

import pytest

import dibs
from dibs.errors import OutcomeUnknown, StoreUnavailable
from dibs.testing.stores.memory import MemoryStore
from dibs.torture.history.diary import LARGEST_FILE, Diary
from dibs.torture.history.reading import Tail, read_history
from dibs.torture.history.recording import record_backend
from dibs.torture.history.records import Answered, Asked, Move, Outcome, Started


def asked(number: int) -> Asked:
    return Asked(number=number, at=float(number), move=Move.COMPLETE, jobs=["a"], tokens=[number])


def test_a_question_without_an_answer_stays_open(tmp_path):
    diary = Diary(tmp_path, "killed")
    diary.write(asked(1))
    diary.write(asked(2))
    diary.write(Answered(number=2, at=3.0, outcome=Outcome.OK, answers=[True]))
    first, second = read_history(tmp_path).operations
    assert first.is_open
    assert math.isinf(first.ended)
    assert (second.ended, second.answers) == (3.0, [True])


def test_a_line_that_a_kill_cut_off_is_not_read(tmp_path):
    diary = Diary(tmp_path, "killed")
    diary.write(asked(1))
    [path] = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(b'{"type":"asked","num')
    assert len(read_history(tmp_path).operations) == 1


def test_a_diary_goes_on_in_another_file_before_it_is_large(tmp_path):
    diary = Diary(tmp_path, "talkative")
    for number in range(2000):
        diary.write(asked(number))
    diary.close()
    assert len(read_history(tmp_path).operations) == 2000
    assert all(path.stat().st_size <= LARGEST_FILE for path in tmp_path.iterdir())


def test_a_tail_gives_each_line_once(tmp_path):
    diary, tail = Diary(tmp_path, "one"), Tail(tmp_path)
    diary.write(Started(worker="w", pid=1, at=0.0))
    assert [name for name, _ in tail.read_news()] == ["one"]
    assert list(tail.read_news()) == []
    diary.write(Started(worker="w", pid=1, at=0.0))
    assert len(list(tail.read_news())) == 1


def test_what_was_answered_later_was_open_then(tmp_path):
    diary = Diary(tmp_path, "one")
    diary.write(asked(1))
    diary.write(Answered(number=1, at=5.0, outcome=Outcome.OK, answers=[True]))
    diary.write(asked(7))
    history = read_history(tmp_path).until(4.0)
    assert [operation.is_open for operation in history.operations] == [True]


async def test_what_a_store_is_asked_and_answers_is_written_down(tmp_path):
    backend = record_backend(await MemoryStore().open(), Diary(tmp_path, "client"), time.monotonic)
    await backend.store_job(dibs.Job(id="a", job_type="test"))
    job = await backend.claim_pending_job(worker="w1")
    assert job is not None
    assert await backend.heartbeat_jobs([job.lease]) == [True]
    await backend.complete_job(job.lease)
    with pytest.raises(dibs.LeaseLost):
        await backend.complete_job(job.lease)
    with pytest.raises(dibs.DuplicateJob):
        await backend.store_job(dibs.Job(id="a", job_type="test"))
    told = [(one.move, one.answers) for one in read_history(tmp_path).operations]
    assert told == [
        (Move.ENQUEUE, ["stored"]),
        (Move.CLAIM, [["a", job.lease_token]]),
        (Move.HEARTBEAT, [True]),
        (Move.COMPLETE, [True]),
        (Move.COMPLETE, [False]),
        (Move.ENQUEUE, ["duplicate"]),
    ]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(OutcomeUnknown, Outcome.UNKNOWN), (StoreUnavailable, Outcome.FAILED), (KeyError, Outcome.UNKNOWN)],
)
async def test_an_error_says_whether_anything_was_written(tmp_path, monkeypatch, error, outcome):
    backend = await MemoryStore().open()

    async def reap(_):
        raise error("no answer")

    monkeypatch.setattr(backend.jobs, "reap", reap)
    record_backend(backend, Diary(tmp_path, "client"))
    with pytest.raises(error):
        await backend.reap_jobs()
    [operation] = read_history(tmp_path).operations
    assert operation.outcome is outcome


async def test_a_completion_in_a_transaction_is_answered_when_that_commits(tmp_path):
    url = f"sqlite:///{tmp_path}/jobs.db"
    async with await dibs.open_backend(url) as backend:
        record_backend(backend, Diary(tmp_path, "client"))
        await backend.store_jobs([dibs.Job(id=name, job_type="test") for name in ("done", "undone")])
        jobs = {job.id: job for job in await backend.claim_pending_jobs(2, worker="w")}
        assert backend.transactions is not None
        async with backend.transactions.begin() as connection:
            await backend.complete_job(jobs["done"].lease, connection=connection)
            assert read_history(tmp_path).operations[-1].is_open
        with pytest.raises(ZeroDivisionError):
            async with backend.transactions.begin() as connection:
                await backend.complete_job(jobs["undone"].lease, connection=connection)
                raise ZeroDivisionError
    done, undone = read_history(tmp_path).operations[-2:]
    assert done.answers == [True]
    # Nobody promised that an error of the caller's own undid the transaction.
    assert undone.is_open
