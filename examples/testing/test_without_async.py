"""The same kit for tests, and for programs, that know nothing of async."""

import pytest
import shop

from dibs import State


@pytest.fixture
def kit(dibs_sync_kit):
    """Give the kit whose verbs need no await."""
    return dibs_sync_kit(shop.app)


def test_a_view_that_enqueues_needs_no_event_loop(kit, mails):
    shop.app.sync.enqueue("ORDER_CONFIRM", {"number": 1, "customer": "ada@example.org"})
    kit.assert_enqueued("ORDER_CONFIRM", input__number=1)
    kit.assert_succeeded(*kit.drain())
    assert len(mails.sent) == 1


def test_a_crash_needs_none_either(kit, mails):
    job = shop.app.sync.enqueue("MAIL_SEND", {"to": "ada@example.org", "text": "hello"})
    assert kit.crash(job, when="after_effect").state is State.PENDING
    kit.advance(minutes=1)
    kit.drain()
    assert len(mails.sent) == 1
