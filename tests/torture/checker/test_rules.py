"""Each rule on one job made by hand: what is right passes, what is surely wrong is named."""

import math
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from dibs.engine.audit.actions import JobAction
from dibs.engine.job import Attempt, AttemptOutcome, Job
from dibs.engine.states import State
from dibs.engine.store.reading import AuditEntry
from dibs.torture.checker.cases import Account, Case, Step
from dibs.torture.checker.notes import Invariant, Notes
from dibs.torture.checker.rules.auditing import check_auditing
from dibs.torture.checker.rules.counting import check_counting
from dibs.torture.checker.rules.effects import check_effects
from dibs.torture.checker.rules.holding import check_fence, check_holding
from dibs.torture.checker.rules.keeping import Terms, check_keeping
from dibs.torture.checker.rules.ordering import check_ordering
from dibs.torture.checker.rules.remembering import check_remembering
from dibs.torture.checker.rules.timing import check_timing
from dibs.torture.history.records import CHAFF, Move

AT = datetime(2026, 1, 1, tzinfo=UTC)
STORED = Step(move=Move.ENQUEUE, began=0.0, ended=1.0, answer="stored")
CLAIMED = Step(move=Move.CLAIM, began=2.0, ended=3.0, token=5, wait=3.0, answer=True)
DONE = Step(move=Move.COMPLETE, began=4.0, ended=5.0, token=5, answer=True)


def attempt(token: int, outcome: AttemptOutcome = AttemptOutcome.SUCCEEDED, worker: str = "w") -> Attempt:
    return Attempt(number=1, token=token, worker=worker, started_at=AT, ended_at=AT, outcome=outcome)


def entry(action: JobAction, token: int = 5) -> AuditEntry:
    return AuditEntry(sequence=1, at=AT, tenant="default", actor="w", action=action, subject="job:a", token=token)


def job(state: State = State.SUCCEEDED, job_type: str = "COUNT", **facts: Any) -> Job:
    return Job(id="a", job_type=job_type, state=state, **{"lease_token": 5, **facts})


def account(**facts: Any) -> Account:
    usual = {"job": job(), "attempts": [attempt(5)], "audit": [entry(JobAction.SUCCEEDED)]}
    return Account(**{**usual, **facts})


def look(rule, *steps: Step, told: Account | None = None, terms: Terms | None = None, **facts: Any) -> list[str]:
    notes = Notes()
    case = Case(job_id="a", steps=list(steps), account=told or account(), **{"effected": [5], **facts})
    rule(case, terms or Terms(), notes)
    tally = notes.tally()
    assert sum(tally.checked.values()), "the rule looked at nothing"
    return [one.message for one in tally.broken]


RULES = [
    check_keeping,
    check_holding,
    check_fence,
    check_ordering,
    check_effects,
    check_remembering,
    check_auditing,
    check_counting,
    check_timing,
]


@pytest.mark.parametrize("rule", RULES)
def test_a_plain_job_breaks_nothing(rule):
    assert look(rule, STORED, CLAIMED, DONE) == []


def test_an_acknowledged_job_that_is_gone_is_missed_unless_the_store_may_forget():
    gone = Account(job=None)
    assert look(check_keeping, STORED, told=gone) == ["was acknowledged, and is gone"]
    notes = Notes()
    check_keeping(Case(job_id="a", steps=[STORED], account=gone), Terms(forgot_at=10.0), notes)
    assert notes.tally().holds


@pytest.mark.parametrize("rule", [check_keeping, check_ordering])
def test_only_finished_chaff_may_be_purged(rule):
    def judge(*steps: Step, **facts: Any) -> bool:
        notes, usual = Notes(), {"job_id": f"{CHAFF}1", "account": Account(job=None), "last_prune": 9.0}
        rule(Case(steps=list(steps), **{**usual, **facts}), Terms(), notes)
        return notes.tally().holds

    assert judge(STORED, CLAIMED, DONE)
    assert judge(STORED, CLAIMED, msgspec.structs.replace(DONE, ended=math.inf, answer=None))
    assert not judge(STORED, CLAIMED)
    assert not judge(STORED, CLAIMED, DONE, job_id="a")
    assert not judge(STORED, CLAIMED, DONE, last_prune=3.5)
    assert not judge(STORED, CLAIMED, DONE, last_prune=-math.inf)


def test_what_is_known_of_purged_chaff_must_still_be_true():
    twice = msgspec.structs.replace(DONE, began=6.0, ended=7.0)
    notes = Notes()
    case = Case(job_id=f"{CHAFF}1", steps=[STORED, CLAIMED, DONE, twice], account=Account(job=None), last_prune=9.0)
    check_ordering(case, Terms(), notes)
    assert not notes.tally().holds


def test_a_job_that_nobody_stored_is_noticed():
    assert "is there although nobody stored it" in look(check_keeping)[0]


def test_a_job_that_has_not_ended_is_noticed_when_it_had_the_time():
    waiting = account(job=job(State.PENDING))
    assert "has not ended" in look(check_keeping, STORED, told=waiting)[0]
    assert look(check_keeping, STORED, told=waiting, terms=Terms(is_drained=False)) == []


@pytest.mark.parametrize("booked", [[], [5, 5], [4, 5], [4]])
def test_an_effect_of_a_transaction_happens_in_the_attempt_that_succeeded_and_once(booked):
    told = account(job=job(job_type="BOOK"), booked=booked)
    assert "its transaction committed under tokens" in look(check_effects, told=told)[0]
    assert look(check_effects, told=account(job=job(job_type="BOOK"), booked=[5])) == []


def test_an_effect_without_a_job_is_noticed():
    assert look(check_effects, told=Account(job=None, booked=[5])) == ["has an effect, and is not there"]


def test_a_job_that_failed_has_no_effect_in_a_transaction():
    told = account(job=job(State.FAILED, "BOOK"), attempts=[attempt(5, AttemptOutcome.ERRORED)], booked=[5])
    assert look(check_effects, told=told) != []


def test_a_token_granted_twice_is_noticed():
    again = Step(move=Move.CLAIM, began=4.0, ended=5.0, token=5, answer=True)
    assert any("was granted twice" in message for message in look(check_holding, CLAIMED, again))


def test_a_write_after_a_cancellation_is_fenced_only_for_those_who_held_the_job_before():
    cancelled = Step(move=Move.CANCEL, began=3.2, ended=3.5, answer="cancelled")
    assert "was accepted after cancel" in look(check_fence, CLAIMED, cancelled, DONE)[0]
    beside = Step(move=Move.CANCEL, began=2.5, ended=3.5, answer="cancelled")
    assert look(check_fence, CLAIMED, beside, DONE) == []


def test_a_write_whose_answer_was_lost_proves_nothing():
    lost = Step(move=Move.COMPLETE, began=4.0, token=5)
    late = Step(move=Move.COMPLETE, began=6.0, ended=7.0, token=5, answer=False)
    assert look(check_ordering, STORED, CLAIMED, lost, late) == []
    known = Step(move=Move.COMPLETE, began=6.0, ended=7.0, token=5, answer=True)
    assert look(check_ordering, STORED, CLAIMED, DONE, known) != []


def test_a_claim_that_only_the_store_remembers_needs_somebody_who_asked():
    assert look(check_ordering, STORED, DONE, open_claims={"w": 1.5}) == []
    assert look(check_ordering, STORED, DONE) != []
    assert "granted to nobody who had asked" in look(check_remembering, STORED, DONE)[0]


def test_a_lease_taken_back_before_it_could_lapse_is_noticed():
    early = Step(move=Move.REAP, began=3.5, ended=4.0, token=5, answer="pending")
    assert "before its lease could lapse" in look(check_timing, CLAIMED, early)[0]
    renewed = Step(move=Move.HEARTBEAT, began=4.0, ended=4.5, token=5, wait=3.0, answer=True)
    reaped = Step(move=Move.REAP, began=5.5, ended=6.0, token=5, answer="pending")
    assert look(check_timing, CLAIMED, reaped) == []
    assert look(check_timing, CLAIMED, renewed, reaped) != []


def test_a_job_given_out_before_it_could_be_due_is_noticed():
    later = Step(move=Move.ENQUEUE, began=0.0, ended=1.0, wait=10.0, answer="stored")
    assert "before the job could be due" in look(check_timing, later, CLAIMED)[0]


@pytest.mark.parametrize(
    "audit",
    [[], [entry(JobAction.SUCCEEDED)] * 2, [entry(JobAction.FAILED)], [entry(JobAction.CANCELLED, 6)]],
)
def test_a_log_that_does_not_replay_to_the_state_is_noticed(audit):
    assert look(check_auditing, STORED, CLAIMED, DONE, told=account(audit=audit)) != []


def test_deaths_above_the_limit_and_wrong_counters_are_noticed():
    lost = [attempt(token, AttemptOutcome.LOST) for token in range(1, 5)]
    counted = account(job=job(State.FAILED, attempts=4, worker_deaths=4), attempts=lost)
    assert look(check_counting, told=counted) == ["has outlived 4 workers, and 3 are the limit"]
    assert len(look(check_counting, told=account(attempts=lost[:1]))) == 1


def test_no_more_than_a_few_examples_of_each_kind_are_kept():
    notes = Notes()
    for number in range(100):
        notes.check(Invariant.KEPT, False, f"job-{number}", "is gone")
    tally = notes.tally()
    assert tally.failed[Invariant.KEPT] == 100
    assert len(tally.broken) == 20
