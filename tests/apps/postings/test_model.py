"""Where each trigger leads from each state."""

import pytest

from dibs.apps.postings.model import PostingState, Trigger, move_posting

D, Q, A, E, R = PostingState
ALLOWED = {
    (D, Trigger.CLAIMED): Q,
    (Q, Trigger.CLAIMED): Q,
    (Q, Trigger.SUCCEEDED): A,
    (Q, Trigger.FAILED): D,
    (E, Trigger.REOPENED): D,
    (R, Trigger.REOPENED): D,
    **{(state, Trigger.EXPIRED): E for state in PostingState},
    **{(state, Trigger.REJECTED): R for state in PostingState},
}


@pytest.mark.parametrize("state", PostingState)
@pytest.mark.parametrize("trigger", Trigger)
def test_a_posting_moves_as_the_table_says_and_in_no_other_way(state, trigger):
    assert move_posting(state, trigger) == ALLOWED.get((state, trigger))


def test_a_failure_leaves_a_posting_queued_while_another_run_is_active():
    assert move_posting(Q, Trigger.FAILED, has_other_runs=True) is Q
    assert move_posting(D, Trigger.FAILED, has_other_runs=True) is None


def test_what_a_run_has_is_queued_when_it_is_reopened_unless_it_was_applied_to():
    assert move_posting(E, Trigger.REOPENED, has_other_runs=True) is Q
    assert move_posting(E, Trigger.REOPENED, has_other_runs=True, was_applied=True) is A
