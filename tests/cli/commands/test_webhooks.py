"""`dibs webhooks`."""

import pytest

OWN = ("--tenant", "acme")
URL = "https://example.com/hooks"


@pytest.fixture
def ready(dibs, monkeypatch):
    monkeypatch.setenv("DIBS_WEBHOOKS_KEYS", "k" * 32)
    assert dibs("db", "migrate").code == 0
    return dibs


def test_a_webhook_is_made_listed_rotated_and_removed(ready):
    made = ready("webhooks", "add", URL, *OWN, "--event", "job.failed", "--reason", "new", "--json")
    assert (made.code, made.json["url"], made.json["events"]) == (0, URL, ["job.failed"])
    assert made.json["secret"].startswith("whsec_")
    [listed] = ready("webhooks", "list", *OWN, "--json").json["webhooks"]
    assert "secret" not in listed
    assert URL in ready("webhooks", "list", *OWN).out
    rotated = ready("webhooks", "rotate", listed["id"], *OWN, "--overlap", "1h")
    assert rotated.out.startswith("whsec_")
    assert made.json["secret"] not in rotated.out
    assert ready("webhooks", "deliveries", listed["id"], *OWN).out.strip() == "Nothing yet."
    assert ready("webhooks", "remove", listed["id"], *OWN).code == 0
    assert ready("webhooks", "list", *OWN, "--json").json["webhooks"] == []


def test_a_private_address_is_refused_and_so_is_a_webhook_of_nobody(ready):
    refused = ready("webhooks", "add", "https://10.0.0.7/hook", *OWN)
    assert (refused.code, "is not public" in refused.err) == (2, True)
    assert "say whose it is" in ready("webhooks", "add", URL).err


def test_another_tenants_webhook_is_missing(ready):
    made = ready("webhooks", "add", URL, *OWN, "--json").json
    missing = ready("webhooks", "remove", made["id"], "--tenant", "globex")
    assert (missing.code, "there is no webhook" in missing.err) == (3, True)


def test_without_a_key_it_says_what_to_set(dibs, monkeypatch):
    monkeypatch.delenv("DIBS_WEBHOOKS_KEYS", raising=False)
    dibs("db", "migrate")
    assert "Set DIBS_WEBHOOKS_KEYS" in dibs("webhooks", "add", URL, *OWN).err
