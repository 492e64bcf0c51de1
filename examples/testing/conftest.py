"""Every test begins with an empty mailbox and an app that is on no server and in no file."""

import pytest
import shop


@pytest.fixture(autouse=True)
def mails(monkeypatch):
    """Give each test a mail service of its own."""
    monkeypatch.setattr(shop, "mails", shop.MailService())
    return shop.mails


@pytest.fixture
def kit(dibs_kit):
    """Give the kit for our app; it gives the app back when the test has ended."""
    return dibs_kit(shop.app)
