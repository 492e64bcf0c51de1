"""The checker is silent where the store is honest, and finds each planted bug from what the crowd wrote down."""

import msgspec
import pytest

import dibs
from dibs.torture.checker.cases import Account
from dibs.torture.checker.judging import judge_history
from dibs.torture.checker.notes import Tally
from dibs.torture.checker.rules.keeping import Terms
from dibs.torture.history.reading import History
from dibs.torture.history.records import Move
from tests.torture.checker.crowd import START, Crowd
from tests.torture.checker.planted import ALL_BUGS, INNOCENT, NO_BUG, plant_any

RUNNING = dibs.AttemptOutcome.RUNNING
SEEDS = range(12)


async def judge(bug: str, seed: int, rounds: int = 60) -> Tally:
    history, accounts = await Crowd(plant_any(bug), seed).run(rounds)
    return judge_history(history, accounts, Terms())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("store", [NO_BUG, INNOCENT])
async def test_an_honest_store_is_believed(store, seed):
    tally = await judge(store, seed)
    assert tally.broken == []
    assert sum(count > 0 for count in tally.checked.values()) >= 9


@pytest.mark.parametrize("bug", ALL_BUGS)
async def test_a_planted_bug_is_found(bug):
    for seed in SEEDS:
        if not (await judge(bug, seed)).holds:
            return
    pytest.fail(f"not found: {bug}")


async def test_a_job_that_runs_when_the_history_is_cut_short_is_no_contradiction():
    """The last look comes after everything, also after a claim whose answer had not come yet."""
    crowd = Crowd(plant_any(NO_BUG), 1)
    history, _ = await crowd.run(20)
    claim = next(one for one in history.operations if one.move is Move.CLAIM and one.answers)
    [job_id, token] = claim.answers[0]
    account = Account(
        job=dibs.Job(id=job_id, job_type="COUNT", state=dibs.State.RUNNING, lease_token=token),
        attempts=[
            dibs.Attempt(number=1, token=token, worker=claim.worker, started_at=START, ended_at=None, outcome=RUNNING)
        ],
    )
    late = msgspec.structs.replace(claim, began=claim.began + 1_000, ended=claim.ended + 1_000)
    cut = History(operations=[history.operations[0], late]).until(late.began)
    tally = judge_history(cut, {job_id: account}, Terms(is_drained=False))
    assert [one for one in tally.broken if one.subject == job_id] == []
