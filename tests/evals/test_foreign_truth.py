"""The truth of other people's pages: what they show, and nothing that they only hold."""

from evals.resumes.foreign import themes
from evals.resumes.people import make_person


def test_chips_that_touch_in_a_browsers_text_are_still_expected():
    resume = make_person("touching-chips").resume
    dressed = themes.dress(resume, 0)
    first, second = resume["skills"][:2]
    page = f"<ul><li>{first}</li><li>{second}</li></ul>"
    cut = themes.cut_truth(dressed, page, f"{first}{second}")
    assert [skill["name"] for skill in cut["skills"]] == [first, second]


def test_what_the_markup_holds_and_nobody_sees_is_not_expected():
    resume = make_person("touching-chips").resume
    first, second = resume["skills"][:2]
    page = f"<ul><li>{first}</li><li hidden>{second}</li></ul>"
    assert [one["name"] for one in themes.cut_truth(themes.dress(resume, 0), page, first)["skills"]] == [first]
