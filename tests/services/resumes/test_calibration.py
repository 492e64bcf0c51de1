"""Confidence keeps its word, on layouts that nothing was fitted on."""

from datetime import date

import pytest

from dibs.services.resumes.calibration import calibrate_profile
from dibs.services.resumes.calibration.calibrating import load_weights, predict
from dibs.services.resumes.calibration.features import NAMES, make_features
from dibs.services.resumes.calibration.kinds import find_kind
from dibs.services.resumes.document import Document, Kind
from dibs.services.resumes.profile import Account, Basics, Field, Meta, Profile, Skill, Status, Work
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.understand import understand_raw
from evals.resumes.library import Order
from evals.resumes.rendering import drawn, word
from evals.resumes.rendering.web import render_html
from evals.resumes.report.reliability import find_error, find_sure_share, make_bins
from evals.resumes.scoring.judging import judge_profile
from evals.resumes.templates import find_templates

PAPER = Document(Kind.PDF)
DRAWERS = {
    "chromium": (lambda order: render_html(order.template.name, order.sheet()).encode(), "html"),
    "word": (lambda order: word.WRITERS[order.template.name](order.sheet()), "docx"),
    "reportlab": (lambda order: drawn.DRAWINGS[order.template.name](order.sheet()), "pdf"),
}


def make_profile(score=0.8, **more):
    work = Work(name=Field("Acme Ltd", score), position=Field("Engineer", score), **more)
    basics = Basics(name=Field("Ada Moss", score), profiles=(Account(url=Field("https://x.example", score)),))
    meta = Meta(status=Status.OK)
    return Profile(basics=basics, work=(work,), skills=(Skill(name=Field("Python", score)),), meta=meta)


def test_every_field_keeps_its_value_and_its_place():
    profile = make_profile()
    calibrated = calibrate_profile(profile, PAPER)
    assert [(path, field.value) for path, field in calibrated.fields()] == [
        (path, field.value) for path, field in profile.fields()
    ]


def test_each_field_gets_the_chance_of_its_own_kind():
    profile = make_profile()
    wanted = {
        path: predict(load_weights()[find_kind(path) or ""], vector)
        for path, _, vector in make_features(profile, PAPER)
    }
    assert {path: field.confidence for path, field in calibrate_profile(profile, PAPER).fields()} == wanted


def test_a_kind_that_nothing_was_learnt_about_keeps_its_score():
    profile = make_profile(summary=Field("Kept the lights on.", 0.61))
    calibrated = calibrate_profile(profile, PAPER)
    assert calibrated.work[0].summary is not None
    assert calibrated.work[0].summary.confidence == 0.61


def test_chances_are_never_nought_or_certain():
    for score in (0.0, 1.0):
        for _, field in calibrate_profile(make_profile(score), PAPER).fields():
            assert 0.0 < field.confidence < 1.0


def test_an_empty_profile_stays_empty():
    empty = Profile(meta=Meta(status=Status.OK))
    assert calibrate_profile(empty, PAPER) == empty


def test_a_higher_score_is_never_worth_less():
    for kind, weights in load_weights().items():
        rise = weights[NAMES.index("score")] * 2.0 + weights[NAMES.index("sure")]
        assert rise >= 0, f"{kind} is trusted less when its rules are surer; fit again"


def test_understanding_ends_with_calibration():
    data = b"Ada Moss\nada@moss.example\n\nExperience\nEngineer, Acme Ltd\nJan 2020 - Mar 2022\n"
    document = read_document(data, name="ada.txt")
    profile = understand(document, today=date(2026, 11, 15))
    assert dict(calibrate_profile(understand_raw(document), document).fields()) == dict(profile.fields())


def judge(order):
    make, extension = DRAWERS[order.template.tool]
    document = read_document(make(order), name=f"{order.name}.{extension}")
    profile = understand(document, today=date(2026, 11, 15))
    return judge_profile(profile.to_json(), order.sheet().truth).given


@pytest.fixture(scope="module")
def unseen():
    """Fields of documents on templates kept aside, as far as they need no program to be drawn."""
    orders = [Order(template, number, ()) for template in find_templates(aside=True) for number in range(20, 23)]
    return [one for order in orders for one in judge(order)]


def test_of_the_fields_given_nine_tenths_nine_in_ten_are_right_on_unseen_layouts(unseen):
    share, amount = find_sure_share(unseen)
    assert amount > 300
    assert share >= 0.9


def test_confidence_and_truth_lie_close_on_unseen_layouts(unseen):
    assert find_error(make_bins(unseen)) < 0.1
