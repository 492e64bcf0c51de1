"""Retry policy and the judgement of errors."""

import json
from datetime import timedelta

import pytest

from dibs import ErrorInfo, FailureKind, Job, Permanent, Retryable, RetryPolicy, State
from dibs.engine.failure import TRACEBACK_LIMIT, classify_error, describe_error
from dibs.engine.states import FINAL, MOVES, REVIVABLE, UNFINISHED, WAITING
from dibs.errors import AddressRefused, BadInput, ProviderFault


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Retryable("again"), FailureKind.TRANSIENT),
        (Permanent("never"), FailureKind.PERMANENT),
        (TimeoutError(), FailureKind.TRANSIENT),
        (ConnectionResetError(), FailureKind.TRANSIENT),
        (BadInput("no"), FailureKind.PERMANENT),
        (AddressRefused("private"), FailureKind.PERMANENT),
        (ProviderFault("503", status=503), FailureKind.TRANSIENT),
        (RuntimeError("who knows"), FailureKind.TRANSIENT),
    ],
)
def test_errors_are_told_apart(error: Exception, kind: FailureKind) -> None:
    assert classify_error(error) is kind


def test_the_default_pauses_are_those_of_the_design() -> None:
    policy = RetryPolicy(jitter=0)
    assert [policy.delay(errors).total_seconds() for errors in range(4)] == [10, 20, 40, 80]
    assert policy.delay(100) == timedelta(hours=24)


def test_jitter_spreads_in_both_directions_and_never_over_the_cap() -> None:
    policy = RetryPolicy(jitter=0.5)
    assert policy.delay(0, chance=lambda: 0.0) == timedelta(seconds=5)
    assert policy.delay(0, chance=lambda: 1.0) == timedelta(seconds=15)
    assert policy.delay(100, chance=lambda: 1.0) == timedelta(hours=24)


def test_a_judgement_counts_errors_not_worker_deaths() -> None:
    job = Job(id="j", job_type="t", attempts=3, worker_deaths=2, lease_token=7)
    judged = RetryPolicy(jitter=0).judge(job, Retryable("busy"))
    assert (judged.lease, judged.kind, judged.retry_in) == (job.lease, FailureKind.TRANSIENT, timedelta(seconds=20))
    assert judged.error.type == "Retryable"


def test_a_policy_may_classify_by_itself() -> None:
    policy = RetryPolicy(classify=lambda _: FailureKind.PERMANENT)
    assert policy.judge(Job(job_type="t"), TimeoutError()).kind is FailureKind.PERMANENT


def test_a_described_error_keeps_both_ends_of_a_long_traceback() -> None:
    def sink(depth: int) -> None:
        if depth == 0:
            message = "the bottom \x00 \ud800 " + "x" * 5000
            raise ValueError(message)
        sink_again = eval("lambda f, d: f(d)")  # noqa: S307
        sink_again(sink, depth - 1)

    with pytest.raises(ValueError, match="bottom") as caught:
        sink(90)
    info = describe_error(caught.value)
    assert info.type == "ValueError"
    assert len(info.message) == 2_000
    assert len(info.traceback) == TRACEBACK_LIMIT
    assert "left out" in info.traceback
    assert "\x00" not in info.message
    json.dumps(info.message).encode()


def test_every_state_has_its_moves_and_final_ones_few() -> None:
    assert set(MOVES) == {None, *State}
    assert WAITING | {State.RUNNING} == UNFINISHED
    assert set(State) == UNFINISHED | FINAL
    for state in FINAL:
        assert MOVES[state] == ({State.PENDING} if state in REVIVABLE else frozenset())


def test_an_error_without_details_is_small() -> None:
    assert ErrorInfo(type="E") == ErrorInfo(type="E", message="", traceback="")
