"""`dibs doctor` says what a machine cannot enforce on documents."""

import pytest

from dibs.engine.store.checkup import Severity
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.sandbox import checkup


def test_a_machine_that_enforces_everything_gets_a_clean_bill():
    documents, recogniser = checkup.examine_sandbox()
    assert documents.severity is Severity.OK
    assert "cannot reach the network" in documents.message
    assert recogniser.severity is Severity.OK


@pytest.mark.parametrize("what", [*checkup.DEEDS, "sleep"])
def test_what_cannot_be_enforced_is_a_warning_by_name(monkeypatch, what):
    monkeypatch.setattr(checkup, "_can", lambda _sandbox, tried, _allowance=None: tried == what)
    documents, _ = checkup.examine_sandbox()
    assert documents.severity is Severity.WARNING
    assert checkup.DEEDS.get(what, "run for any length of time") in documents.message
    assert "container" in documents.advice


def test_without_a_recogniser_that_is_a_warning(monkeypatch):
    monkeypatch.setattr(checkup, "name_engine", lambda _: Engine.OFF)
    monkeypatch.setattr(checkup, "_can", lambda *_: False)
    _, recogniser = checkup.examine_sandbox()
    assert recogniser.severity is Severity.WARNING
    assert "dibs[ocr]" in recogniser.advice
