"""Agents in processes of their own, killed or stopped at every step: one application each, and nothing is stuck."""

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.runs import Fence
from dibs.apps.postings.records import BoardPolicy
from tests.apps.postings.conftest import FREE, find, keep, make_posting
from tests.apps.postings.flow.agent import OLD_STEPS, STEPS
from tests.apps.postings.flow.conftest import claim
from tests.server.keys import OPERATOR

LEASE_SECONDS = 1.5
STRICT = BoardPolicy(approval=Approval.NEVER, fence=Fence.REQUIRED)


@pytest.fixture
def house(places, open_house):
    """A server whose claims lapse soon."""
    with open_house(*places, lease=LEASE_SECONDS) as opened:
        yield opened


@pytest.fixture
def mailbox(tmp_path):
    """The employer's, with a line for each application."""
    box = tmp_path / "mailbox"
    box.touch()
    return box


class Hand:
    """An agent's process, led by hand."""

    def __init__(self, house, run_id, job_id, mailbox, kind="new"):
        command = [sys.executable, "-m", "tests.apps.postings.flow.agent", house.place, OPERATOR]
        self.run_id, self.job_id = run_id, job_id
        self.process: Any = subprocess.Popen(
            [*command, run_id, job_id, "ramp", str(mailbox), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.step = ""

    async def come_to(self, wanted):
        """Let it go on until it is there, or was refused."""
        while self.step != wanted and not self.step.startswith(("refused", "done")):
            if self.step:
                self.go_on()
            self.step = (await asyncio.to_thread(self.process.stdout.readline)).strip()
        return self.step

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.close()

    def close(self):
        self.process.wait(timeout=60)
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def lead():
    """Start agents; whatever is left of them ends with the test."""
    hands = []

    def start(*given):
        hands.append(Hand(*given))
        return hands[-1]

    yield start
    for hand in hands:
        hand.process.send_signal(signal.SIGCONT)
        hand.kill()


async def rescue(house, client, lead, job_id, mailbox):
    """Apply after another agent has died: wait for its claim to lapse, and find out where somebody has to."""
    while True:
        # Asked again and again: the claim lapses by the servers' clock, which is the thing to see.
        hand = lead(house, f"rescue-{uuid4().hex}", job_id, mailbox)
        outcome = await hand.come_to("done")
        hand.close()
        if outcome != "refused 409 claimed":
            break
        await asyncio.sleep(LEASE_SECONDS / 3)
    if outcome != "refused 409 held":
        return outcome
    [posting] = (await client.get("/api/crawler/jobs", params={"held": True, "limit": 100})).json()["jobs"]
    finding = "submitted" if job_id in mailbox.read_text().split() else "not_submitted"
    found_out = {"finding": finding, "reason": "looked into the mailbox"}
    assert (await client.post(f"/api/v1/runs/{posting['holder']}/resolve", json=found_out)).status_code == 200
    return await rescue(house, client, lead, job_id, mailbox)


@pytest.mark.system
@pytest.mark.parametrize("kind", ["new", "old"])
async def test_an_agent_killed_at_any_step_leaves_one_application_and_nothing_stuck(office, house, lead, mailbox, kind):
    """Agents of the old kind announce nothing: their board has `fence=required`."""
    steps = STEPS if kind == "new" else OLD_STEPS
    postings = [make_posting(step, title=f"Cook of {step}") for step in steps]
    await keep(office, *postings, policy=FREE if kind == "new" else STRICT)
    async with house.connect() as client:
        for step in steps:
            hand = lead(house, f"run-{step}", step, mailbox, kind)
            assert await hand.come_to(step) == step
            hand.kill()
            await rescue(house, client, lead, step, mailbox)
    assert Counter(mailbox.read_text().split()) == dict.fromkeys(steps, 1)
    states = [(await find(office, step)).state for step in steps]
    assert states == ["applied"] * len(steps)


async def wait_for_lapse(client, run_id):
    """Claim until the other's claim has lapsed; gives the answer that is not `claimed`."""
    while True:
        answered = await claim(client, run_id)
        if answered.json().get("rule") != "claimed":
            return answered
        await asyncio.sleep(LEASE_SECONDS / 5)


async def test_an_agent_that_was_stopped_while_its_lock_lapsed_does_not_apply_as_the_second(
    office, house, lead, mailbox
):
    await keep(office, make_posting())
    async with house.connect() as client:
        slow = lead(house, "slow", "12345", mailbox)
        await slow.come_to("reported")
        slow.process.send_signal(signal.SIGSTOP)
        assert (await wait_for_lapse(client, "quick")).status_code == 201
        slow.process.send_signal(signal.SIGCONT)
        assert (await slow.come_to("clicked")).startswith("refused 409")
        done = await client.patch("/api/crawler/jobs", json={"run_id": "quick", "status": "success"})
        assert done.status_code == 200
    assert (await find(office)).applied_run == "quick"
    assert mailbox.read_text() == ""


async def test_an_agent_that_was_stopped_after_it_announced_keeps_its_posting_and_may_finish(
    office, house, lead, mailbox
):
    await keep(office, make_posting())
    async with house.connect() as client:
        slow = lead(house, "slow", "12345", mailbox)
        await slow.come_to("announced")
        slow.process.send_signal(signal.SIGSTOP)
        assert (await wait_for_lapse(client, "quick")).json()["rule"] == "held"
        slow.process.send_signal(signal.SIGCONT)
        assert await slow.come_to("done") == "done"
        assert (await claim(client, "late")).status_code == 400
    assert ((await find(office)).applied_run, mailbox.read_text().split()) == ("slow", ["12345"])
