"""Whatever happens to the worker, a customer gets each mail once."""

from datetime import timedelta

import pytest
import shop
from shop import confirm_order, send_mail

from dibs import State
from dibs.testing import Moment, WorkerDied


@pytest.mark.parametrize("when", ["before", "after_effect", "after_completion"])
async def test_a_worker_that_dies_sends_no_mail_twice(kit, mails, when):
    job = await send_mail.enqueue(to="ada@example.org", text="hello")
    await kit.crash(job, when=when)
    await kit.drain()
    assert (await kit.find(job)).state is State.SUCCEEDED
    assert len(mails.sent) == 1


async def test_an_order_is_confirmed_once_by_two_workers(kit, mails):
    job = await confirm_order.enqueue(number=1, customer="ada@example.org")
    await kit.crash(job, when=Moment.AFTER_EFFECT)
    await kit.drain(until=timedelta(days=8))
    kit.assert_enqueued(send_mail, times=2)
    assert len(mails.sent) == 2


@pytest.mark.parametrize("when", ["before", "after_effect"])
async def test_a_worker_that_was_overtaken_changes_nothing(kit, mails, when):
    job = await send_mail.enqueue(to="ada@example.org", text="hello")
    done = await kit.lose_lease(job, when=when)
    assert done.state is State.SUCCEEDED
    assert [attempt.outcome for attempt in await kit.history(job)] == ["lost", "succeeded"]
    assert len(mails.sent) == 1


async def test_a_job_that_is_delivered_twice_sends_one_mail(kit, mails):
    job = await send_mail.enqueue(to="ada@example.org", text="hello")
    await kit.deliver_twice(job)
    assert len(mails.sent) == 1


async def test_a_worker_that_dies_while_it_sends(kit, mails, monkeypatch):
    async def die(*_, **__):
        raise WorkerDied

    job = await send_mail.enqueue(to="ada@example.org", text="hello")
    with monkeypatch.context() as patch:
        patch.setattr(shop.mails, "send", die)
        await kit.run(job)
    assert (await kit.reclaim(job)).worker_deaths == 1
    await kit.drain()
    assert len(mails.sent) == 1
