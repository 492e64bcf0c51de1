"""What a job says of itself."""

import pytest

from dibs.engine.job import Job
from dibs.engine.states import State


@pytest.mark.parametrize(
    ("state", "holder", "attempts", "tries"),
    [
        (State.PENDING, None, 0, 0),
        (State.RUNNING, "worker-1", 0, 1),
        (State.RUNNING, "worker-1", 2, 3),
        (State.RETRYABLE, None, 1, 1),
        (State.SUCCEEDED, "worker-1", 0, 1),
        (State.SUCCEEDED, "worker-1", 1, 2),
        (State.FAILED, "worker-1", 4, 4),
        (State.CANCELLED, "worker-1", 0, 1),
        (State.CANCELLED, None, 0, 0),
        (State.CANCELLED, None, 1, 1),
    ],
)
def test_tries_are_all_executions_that_were_not_put_off(state, holder, attempts, tries):
    assert Job(job_type="MAIL", state=state, locked_by=holder, attempts=attempts).tries == tries


def test_a_lost_worker_allows_one_try_more():
    assert Job(job_type="MAIL", max_retries=3).max_tries == 4
    spent = Job(job_type="MAIL", max_retries=3, attempts=5, worker_deaths=1, state=State.FAILED)
    assert (spent.tries, spent.max_tries) == (5, 5)
