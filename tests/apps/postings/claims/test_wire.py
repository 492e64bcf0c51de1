"""The seed's own bodies are read, and bad ones are refused with all their faults."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.claims.wire import read_claim, read_report
from dibs.errors import BadInput

CLAIM = {
    "action": "run",
    "run_id": "uuid",
    "job_id": "12345",
    "board": "ramp",
    "variant_id": "resume-v2",
    "artifacts": {"resume_url": "s3://resumes/v2.pdf"},
}


def test_the_seeds_claim_is_read():
    assert read_claim(CLAIM) == ClaimRequest(
        run_id="uuid",
        job_id="12345",
        board="ramp",
        variant_id="resume-v2",
        artifacts={"resume_url": "s3://resumes/v2.pdf"},
    )
    assert read_claim({**CLAIM, "job_id": 12345}).job_id == "12345"


def test_variant_and_artifacts_may_be_left_out():
    short = {name: CLAIM[name] for name in ("action", "run_id", "job_id", "board")}
    assert (read_claim(short).variant_id, read_claim(short).artifacts) == ("", {})


def test_the_seeds_reports_are_read():
    assert read_report({"run_id": "u", "status": "submitted", "artifacts": {"answers": {"yoe": "5"}}}) == (
        ProgressReport(run_id="u", status=RunState.SUBMITTED, artifacts={"answers": {"yoe": "5"}})
    )
    failed = read_report({"run_id": "u", "status": "failed", "error": "Form submission timeout"})
    assert (failed.status, failed.error) == (RunState.FAILED, "Form submission timeout")
    assert read_report({"run_id": "u"}).status is None


def test_all_faults_of_a_claim_are_told_at_once():
    with pytest.raises(BadInput) as refused:
        read_claim({"action": "stop", "run_id": 7, "board": "", "artifacts": {"a": None}, "colour": "red"})
    for fault in (
        "'colour' is no field",
        "action 'stop'",
        "job_id is missing",
        "run_id is no text",
        "board '' is no id",
        "artifacts.a is null",
    ):
        assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ([], "no object"),
        (None, "no object"),
        ({"status": "success"}, "run_id is missing"),
        ({"run_id": "u", "status": "done"}, "status 'done': use pending, submitting"),
        ({"run_id": "u", "status": 5}, "status is no text"),
        ({"run_id": "u", "artifacts": None}, "artifacts is no object"),
        ({"run_id": "u", "artifacts": []}, "artifacts is no object"),
        ({"run_id": "u", "error": "x" * 3000}, "error is longer"),
    ],
)
def test_a_bad_report_is_refused(body, fault):
    with pytest.raises(BadInput) as refused:
        read_report(body)
    assert fault in str(refused.value)


KEYS = st.sampled_from(["action", "run_id", "job_id", "board", "variant_id", "artifacts", "status", "error", "x"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.one_of(VALUES, st.dictionaries(KEYS, VALUES)))
def test_any_body_is_read_or_refused(body):
    for read in (read_claim, read_report):
        with suppress(BadInput):
            assert read(body).run_id
