"""Errors on their way from one process to another."""

import traceback
from datetime import timedelta

import pytest

from dibs import ErrorInfo, FailureKind, Job, MissingExtra, Permanent, RetryPolicy
from dibs.engine.executors.messages import decode_from_child, encode_frame
from dibs.engine.executors.remote import pack_error, rebuild_error
from dibs.engine.failure import RemoteError, describe_error

INFO = ErrorInfo(type="Busy", message="503", traceback="there, line 1")


def test_a_remote_error_is_described_as_it_was_there():
    assert describe_error(RemoteError(INFO, FailureKind.TRANSIENT)) == INFO


def test_its_traceback_is_cut_to_the_limit():
    long = ErrorInfo(type="Busy", traceback="x" * 900)
    assert len(describe_error(RemoteError(long, FailureKind.TRANSIENT), traceback_limit=100).traceback) == 100


def test_its_judgement_is_kept_whatever_the_policy_says_here():
    policy = RetryPolicy(classify=lambda _: FailureKind.TRANSIENT, base=timedelta(seconds=1))
    judged = policy.judge(Job(job_type="t"), RemoteError(INFO, FailureKind.PERMANENT))
    assert (judged.kind, judged.error) == (FailureKind.PERMANENT, INFO)


def test_an_error_that_wraps_it_still_shows_where_it_came_from():
    wrapped = RuntimeError("in a middleware")
    wrapped.__cause__ = RemoteError(INFO, FailureKind.TRANSIENT)
    assert "there, line 1" in "".join(traceback.format_exception(wrapped))


@pytest.mark.parametrize("error", [MissingExtra("no redis"), Permanent("never"), BlockingIOError(11, "later")])
def test_what_is_packed_can_be_sent_and_raised_again(error):
    rebuilt = rebuild_error(decode_from_child(encode_frame(pack_error(error))[4:]))  # type: ignore[arg-type]
    assert str(rebuilt) == str(error)
    assert isinstance(rebuilt, MissingExtra) is isinstance(error, MissingExtra)
    assert describe_error(rebuilt).type == type(error).__name__


def test_a_class_of_somebody_elses_that_has_the_name_of_ours_is_not_taken_for_it():
    stranger = type("Permanent", (Exception,), {})("hm")
    assert not isinstance(rebuild_error(pack_error(stranger)), Permanent)


def test_an_error_whose_message_cannot_be_read_is_described():
    unreadable = type("Odd", (Exception,), {"__str__": lambda _: 1 / 0})()
    assert describe_error(unreadable).message == "(its message cannot be read)"
