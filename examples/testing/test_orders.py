"""What the shop enqueues, what its handlers do, and when."""

from datetime import timedelta

from shop import app, confirm_order, send_mail

from dibs import State


async def test_an_order_is_confirmed_now_and_reviewed_later(kit):
    done = await kit.run(confirm_order, number=1, customer="ada@example.org")
    assert done.output == {"confirmed": 1}
    kit.assert_enqueued(send_mail, times=2)
    kit.assert_enqueued("MAIL_SEND", input__text="thanks for order 1", delay=timedelta(0))
    kit.assert_enqueued("MAIL_SEND", input={"to": "ada@example.org"}, unique_key="review-1", delay=timedelta(days=7))


async def test_the_mails_go_out_when_they_are_due(kit, mails):
    await app.enqueue("ORDER_CONFIRM", {"number": 1, "customer": "ada@example.org"}, tenant="acme")
    await kit.drain()
    assert list(mails.sent.values()) == ["thanks for order 1 -> ada@example.org"]
    await kit.advance(days=7)
    await kit.drain()
    assert len(mails.sent) == 2


async def test_a_mail_is_tried_again_while_the_service_is_down(kit, mails):
    mails.is_down = True
    failed = await kit.run(send_mail, to="ada@example.org", text="hello")
    assert failed.state is State.RETRYABLE
    assert failed.error.type == "ConnectionError"
    mails.is_down = False
    await kit.drain(until=timedelta(minutes=1))
    assert (await kit.find(failed)).state is State.SUCCEEDED
    assert kit.now == failed.created_at + timedelta(minutes=1)


async def test_a_mail_that_never_goes_out_fails_after_six_executions(kit, mails):
    mails.is_down = True
    job = await send_mail.enqueue(to="ada@example.org", text="hello")
    executions = await kit.drain(until=timedelta(days=1))
    assert len(executions) == 6
    assert (await kit.find(job)).state is State.FAILED
