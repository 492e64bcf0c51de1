"""Runs move as their table says; a claim is refused for one reason at a time."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs.apps.postings.model import PostingState
from dibs.apps.postings.runs import FINAL, Fence, Refusal, Rule, RunState, Standing, judge_claim, move_run, must_be_held

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)
P, G, S, OK, F, U = RunState
ALLOWED = {
    P: {P, G, S, OK, F, U},
    G: {G, S, OK, F, U},
    S: {S, OK, F, U},
    U: {OK, F, U},
    OK: set(),
    F: set(),
}


@pytest.mark.parametrize("state", RunState)
@pytest.mark.parametrize("wanted", RunState)
def test_a_run_moves_forward_only(state, wanted):
    assert move_run(state, wanted) == (wanted if wanted in ALLOWED[state] else None)


@pytest.mark.parametrize("state", RunState)
def test_who_announced_it_and_fell_silent_may_have_submitted(state):
    assert must_be_held(state, Fence.OPTIONAL) is (state in (G, S, U))
    assert must_be_held(state, Fence.REQUIRED) is (state not in FINAL)


@pytest.mark.parametrize("state", PostingState)
@pytest.mark.parametrize("holder_state", [None, *RunState])
@pytest.mark.parametrize("expires_at", [None, EARLIER, NOW, LATER])
@pytest.mark.parametrize("fence", Fence)
@pytest.mark.parametrize("is_held", [True, False])
def test_a_claim_is_given_only_where_nobody_can_be_at_it(state, holder_state, expires_at, fence, is_held):
    holder = None if holder_state is None else "run-1"
    standing = Standing(
        state=state, is_held=is_held, holder=holder, holder_state=holder_state, expires_at=expires_at, fence=fence
    )
    is_live = holder is not None and expires_at == LATER
    may_have = holder_state in (G, S, U) or (holder_state is P and fence is Fence.REQUIRED)
    is_free = not is_held and not is_live and not may_have and state in (PostingState.DISCOVERED, PostingState.QUEUED)
    refusal = judge_claim(standing, NOW)
    assert (refusal is None) is is_free


def test_a_refusal_names_the_rule_the_holder_and_when_to_come_back():
    standing = Standing(state=PostingState.QUEUED, holder="run-1", holder_state=P, expires_at=LATER)
    assert judge_claim(standing, NOW) == Refusal(rule=Rule.CLAIMED, holder="run-1", retry_at=LATER)
    assert judge_claim(Standing(state=PostingState.APPLIED), NOW) == Refusal(rule=Rule.STATUS)
