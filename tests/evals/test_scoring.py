import copy

import pytest

from evals.resumes.library import Order
from evals.resumes.scoring import likeness
from evals.resumes.scoring.judging import judge_profile
from evals.resumes.scoring.tally import Tally
from evals.resumes.templates import TEMPLATES


@pytest.fixture
def truth():
    sheets = (Order(TEMPLATES[0], number, ()).sheet() for number in range(20))
    return next(sheet.truth for sheet in sheets if len(sheet.truth["work"]) >= 3 and sheet.truth["basics"]["profiles"])


def score(profile, truth):
    return Tally([judge_profile(profile, truth)])


def test_the_truth_itself_is_perfect(truth):
    assert score(truth, truth).macro_f1 == 1.0


def test_nothing_given_is_nothing_found_and_nothing_made_up(truth):
    tally = score({}, truth)
    assert tally.of("title").recall == 0.0
    assert tally.of("title").given == 0


def test_the_order_of_entries_does_not_matter(truth):
    profile = copy.deepcopy(truth)
    profile["work"].reverse()
    assert score(profile, truth).macro_f1 == 1.0


def test_a_wrong_value_is_both_made_up_and_missed(truth):
    profile = copy.deepcopy(truth)
    profile["work"][0]["name"] = "Somebody Else Entirely"
    count = score(profile, truth).of("organisation")
    assert count.right == len(truth["work"]) - 1
    assert count.given == count.true == len(truth["work"])


def test_an_entry_too_many_costs_precision_only(truth):
    profile = copy.deepcopy(truth)
    profile["work"].append({"name": "Zzyzx Quarry", "position": "Ghost", "startDate": "1901-01"})
    count = score(profile, truth).of("title")
    assert count.recall == 1.0
    assert count.precision < 1.0


def test_each_skill_counts_once(truth):
    profile = copy.deepcopy(truth)
    profile["skills"] = [{"name": "Python"}, {"name": "Python"}]
    count = score(profile, {**truth, "skills": [{"name": "Python"}]}).of("skill")
    assert (count.right, count.given, count.true) == (1, 2, 1)


@pytest.mark.parametrize(
    ("same", "given", "true"),
    [
        (likeness.is_same_text, "ACME  GmbH", "Acme GmbH"),
        (likeness.is_same_place, "Austin", "Austin, TX"),
        (likeness.is_same_place, "Melbourne", "Melbourne VIC"),
        (likeness.is_same_link, "https://www.linkedin.com/in/a/", "linkedin.com/in/a"),
        (lambda a, b: likeness.is_same_phone(a, b, "GB"), "+447700900123", "07700 900123"),
        (lambda a, b: likeness.is_same_degree(a, b, "Physics"), "B.Sc.", "Bachelor of Science"),
        (lambda a, b: likeness.is_same_degree(a, b, "Physics"), "MSc Physics", "MSc"),
        (lambda a, b: likeness.is_same_date(a, b, lenient=True), "2020", "2020-03-01"),
    ],
)
def test_the_same_in_another_form_is_right(same, given, true):
    assert same(given, true)


@pytest.mark.parametrize(
    ("same", "given", "true"),
    [
        (likeness.is_same_text, "C", "C++"),
        (likeness.is_same_text, "Acme GmbH, Wien", "Acme GmbH"),
        (likeness.is_same_email, "a@b.example", "a@b.examples"),
        (lambda a, b: likeness.is_same_date(a, b, lenient=False), "2020", "2020-03"),
        (lambda a, b: likeness.is_same_date(a, b, lenient=False), "2020-03", "2020"),
    ],
)
def test_something_else_is_wrong(same, given, true):
    assert not same(given, true)
