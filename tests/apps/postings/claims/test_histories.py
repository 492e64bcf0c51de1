"""Random crowds at two servers: whatever is asked at once, what is given and said fits together."""

import asyncio
import contextlib
import random
from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from dibs.apps.postings import store
from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.limits.caps import Cap, CapScope
from dibs.apps.postings.limits.store import set_cap
from dibs.apps.postings.office import Office, lock_name
from dibs.apps.postings.records import BoardPolicy, RoleRule
from dibs.apps.postings.tables import POSTINGS, RUNS, VERSIONS
from dibs.errors import PostingConflict, PostingUnfit
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.apps.postings.conftest import FREE, keep, make_posting

TENANTS = ("default", "other")
# Roles of the strict board are at the open one, too.
BOARDS = {"open": FREE, "strict": BoardPolicy(approval=FREE.approval, role_rule=RoleRule.BLOCK), "plain": FREE}
TRADES = ("Cook", "Baker", "Brewer")
WORDS = " ".join(f"word{number}" for number in range(60))
CAP = 4


class History:
    """Two servers on one store, and what they said."""

    def __init__(self, offices, locks, seed):
        self.offices = offices
        self.locks = locks
        self.draw = random.Random(seed)
        self.is_capped = seed % 4 == 3
        self.asked = {}
        self.count = 0

    async def begin(self):
        for tenant in TENANTS:
            for board, policy in BOARDS.items():
                postings = (
                    make_posting(f"{trade}-{number}", title=trade, text=WORDS if number else "")
                    for trade in TRADES
                    for number in range(2)
                )
                await keep(self.offices[0], *postings, board=board, policy=policy, tenant=tenant)
            if self.is_capped:
                async with self.offices[0].tables.writing(sight_of(tenant)) as transaction:
                    await set_cap(transaction, Cap(scope=CapScope.BOARD, name="open", most_a_day=CAP))

    def _make_request(self, tenant):
        draw = self.draw
        if self.asked and draw.random() < 0.25:
            # Again as it was, or the id for something else.
            before = draw.choice([one for one in self.asked.values() if one[0] == tenant] or [(tenant, None)])[1]
            if before is not None and draw.random() < 0.6:
                return before
        self.count += 1
        known = [one.run_id for name, one in self.asked.values() if name == tenant]
        run_id = draw.choice(known) if known and draw.random() < 0.08 else f"run-{self.count}"
        kinds: list[dict[str, Any]] = [{}, {"note": "x"}, {"answers": {"Why?": "Bread."}}, {"long": "x" * 17_000}]
        job_id = f"{draw.choice(TRADES)}-{draw.randrange(2)}"
        return ClaimRequest(run_id=run_id, job_id=job_id, board=draw.choice([*BOARDS]), artifacts=draw.choice(kinds))

    async def crowd(self, size):
        """Let many ask at once; some leave before they are answered."""
        tasks = []
        for _ in range(size):
            tenant = self.draw.choice(TENANTS)
            request = self._make_request(tenant)
            self.asked.setdefault((tenant, request.run_id), (tenant, request))
            office = self.draw.choice(self.offices)
            tasks.append((tenant, request, asyncio.create_task(claim_posting(office, tenant, request))))
        for _, _, task in tasks:
            if self.draw.random() < 0.1:
                asyncio.get_running_loop().call_later(self.draw.random() * 0.03, task.cancel)
        answers = await asyncio.gather(*(task for _, _, task in tasks), return_exceptions=True)
        return [(tenant, request, one) for (tenant, request, _), one in zip(tasks, answers, strict=True)]

    async def read(self):
        """What is kept: postings and runs, by tenant."""
        kept = {}
        for tenant in TENANTS:
            async with self.offices[0].tables.reading(sight_of(tenant)) as transaction:
                postings = [store.as_tracked(row) for row in await transaction.fetch(select(POSTINGS))]
                runs = {row["run_id"]: dict(row) for row in await transaction.fetch(select(RUNS))}
                versions = [(row["run_id"], row["version"]) for row in await transaction.fetch(select(VERSIONS))]
            kept[tenant] = ({(one.board, one.external_id): one for one in postings}, runs, versions)
        return kept

    async def report_some(self, kept):
        """Let some of those who have a posting say how it went, at once."""
        said = []
        for tenant, (postings, _, _) in kept.items():
            for posting in postings.values():
                if posting.holder is not None and self.draw.random() < 0.7:
                    status = RunState.FAILED if self.draw.random() < 0.85 else RunState.SUCCESS
                    report = ProgressReport(run_id=posting.holder, status=status)
                    said.append(record_progress(self.draw.choice(self.offices), tenant, report))
        await asyncio.gather(*said)


def is_busy(posting):
    return posting.holder is not None or posting.applied_run is not None


def check_kept(kept):
    for postings, runs, versions in kept.values():
        by_posting = defaultdict(list)
        for run in runs.values():
            by_posting[run["posting_id"]].append(run)
            assert (run["run_id"], 1) in versions
        for posting in postings.values():
            own = by_posting[posting.id]
            # Each claim has its own number, and none was lost.
            assert sorted(run["token"] for run in own) == list(range(1, posting.token + 1))
            active = [run["run_id"] for run in own if run["state"] == "pending"]
            assert active == ([] if posting.holder is None else [posting.holder])


def check_answers(before, after, said):
    given = defaultdict(list)
    for tenant, request, answer in said:
        named = (request.board, request.job_id)
        postings, runs, _ = after[tenant]
        if isinstance(answer, asyncio.CancelledError):
            continue
        if isinstance(answer, PostingUnfit):
            assert postings[named].applied_run is not None
        elif isinstance(answer, PostingConflict):
            check_refusal(request, answer, before[tenant], after[tenant])
        elif isinstance(answer, Exception):
            raise answer
        else:
            run = runs[request.run_id]
            assert (answer.run.run_id, answer.posting.board, answer.posting.external_id) == (request.run_id, *named)
            assert run["request_digest"] == request.digest
            assert answer.run.artifacts == request.artifacts
            assert (run["posting_id"], run["created_at"]) == (answer.posting.id, answer.run.created_at)
            given[tenant, named].append((request.run_id, answer.is_repeated))
    for (tenant, named), runs in given.items():
        new = [run_id for run_id, is_repeated in runs if not is_repeated]
        assert len(new) <= 1
        if new:
            assert after[tenant][0][named].holder == new[0]
            assert not is_busy(before[tenant][0][named])


def check_refusal(request, refusal, before, after):
    named = (request.board, request.job_id)
    if refusal.rule == "run_id":
        assert after[1][request.run_id]["request_digest"] != request.digest
    elif refusal.rule == "role":
        # An id that was used for two postings at once may be named to the one who sent the second.
        assert refusal.holder != request.run_id or after[1][request.run_id]["request_digest"] != request.digest
        assert refusal.holder in after[1]
    else:
        assert refusal.rule in {"claimed", "cap"}
        assert refusal.retry_at is not None
        # Nobody is told that they have it themselves.
        assert refusal.holder != request.run_id or not (is_busy(before[0][named]) or is_busy(after[0][named]))


def check_roles(before, after):
    """At the strict board, nobody was given what another of the same role is applied to."""
    for tenant in TENANTS:
        for trade in TRADES:
            postings = [
                (before[tenant][0][named], one) for named, one in after[tenant][0].items() if one.title == trade
            ]
            new = [one for was, one in postings if not is_busy(was) and is_busy(one) and one.board == "strict"]
            assert len(new) <= 1
            if new:
                assert not any(is_busy(was) for was, _ in postings)


def check_caps(after):
    for postings, runs, _ in after.values():
        ids = {one.id for one in postings.values() if one.board == "open"}
        assert (
            len({run["posting_id"] for run in runs.values() if run["posting_id"] in ids and run["state"] != "failed"})
            <= CAP
        )


async def check_locks(history, kept):
    for tenant, (postings, _, _) in kept.items():
        for (board, job_id), posting in postings.items():
            found = None if history.locks is None else await history.locks.find(lock_name(tenant, board, job_id))
            assert found is None or found.owner == posting.holder


@contextlib.asynccontextmanager
async def opened(url, clock, locks, seed):
    async with Tables.at(url, clock=clock) as one, Tables.at(url, clock=clock) as other:
        history = History([Office(one, locks=locks), Office(other, locks=locks)], locks, seed)
        await history.begin()
        yield history


async def check_rounds(history, clock, rounds, size):
    kept = await history.read()
    for _ in range(rounds):
        said = await history.crowd(size)
        after = await history.read()
        check_kept(after)
        check_answers(kept, after, said)
        check_roles(kept, after)
        await check_locks(history, after)
        if history.is_capped:
            check_caps(after)
        for office in history.offices:
            assert not office.glances._busy
            assert office.glances.looks.is_idle
            assert office.joint.shared.is_idle
        await history.report_some(after)
        clock.advance(timedelta(seconds=1))
        kept = await history.read()
        check_kept(kept)


@pytest.mark.parametrize("seed", [2, 3])
async def test_whatever_a_crowd_asks_of_two_servers_what_is_given_and_said_fits(url, clock, locks, seed):
    async with opened(url, clock, locks, seed) as history:
        await check_rounds(history, clock, rounds=2, size=24)


@pytest.mark.system
@pytest.mark.parametrize("seed", range(6))
async def test_many_random_crowds_at_two_servers_are_given_and_told_what_fits(url, clock, locks, seed):
    async with opened(url, clock, locks, seed) as history:
        await check_rounds(history, clock, rounds=5, size=80)
