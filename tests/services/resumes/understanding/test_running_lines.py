"""What a narrow column does to lines that hold several things: names with marks between them, numbers, streets."""

from collections.abc import Iterator, Sequence

import pytest

from dibs.services.resumes.document import Word
from dibs.services.resumes.profile import Profile
from dibs.services.resumes.understanding.normal.places import is_town, judge_place
from dibs.services.resumes.understanding.person.contact import PHONE_LIKE
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_habits import JOB, SCHOOL, page, skills
from tests.services.resumes.understanding.test_sidebars import beside

CONTACT = ["#Contact", "ada@mail.example", "London"]
# As wide as the sidebar: so the lines above and below it show how much room there was.
WIDE = "References upon demand, always"


def schools(profile: Profile) -> list[tuple[str | None, ...]]:
    return [said(one.study_type, one.institution, one.start_date, one.end_date) for one in profile.education]


def mixed(lines: Sequence[tuple[str, str]], left: float, top: float) -> Iterator[Word]:
    """Set lines of which the first words are bold and the others plain."""
    for number, (bold, plain) in enumerate(lines):
        at = top + 14 * number
        first = list(write(bold, left, at, bold=True))
        yield from first
        yield from write(plain, (first[-1].box.right + 2.5) if first else left, at)


def in_sidebar(lines: Sequence[tuple[str, str]]) -> Profile:
    side = stack([*CONTACT, WIDE, "", "#Education"], 40, 70)
    name = write("Ada Lovelace", 220, 30, size=22, bold=True)
    return parse(draw(name, side, mixed(lines, 40, 154), stack(JOB, 220, 70)))


def test_a_name_between_marks_goes_on_in_the_next_line():
    profile = in_sidebar([("BSc Mathematics", "| Queen Mary"), ("", "College | 2012 - 2015")])
    assert schools(profile) == [("BSc", "Queen Mary College", "2012", "2015")]


def test_a_bold_name_goes_on_before_the_mark_behind_it():
    profile = in_sidebar(
        [("Visvesvaraya Technological", ""), ("University", "– BSc Mathematics"), ("", "(2012 - 2015)")]
    )
    assert schools(profile) == [("BSc", "Visvesvaraya Technological University", "2012", "2015")]


def test_a_mark_at_the_beginning_of_a_line_goes_on_with_the_line_above():
    profile = in_sidebar(
        [("BSc Applied Mathematics", ""), ("", "| University College"), ("", "Southampton | 2012 - 2015")]
    )
    assert schools(profile) == [("BSc", "University College Southampton", "2012", "2015")]


def test_lines_without_marks_between_their_names_are_lines_of_their_own():
    profile = in_sidebar([("BSc Applied Mathematics", ""), ("", "Imperial College London"), ("", "2012 - 2015")])
    assert schools(profile) == [("BSc", "Imperial College London", "2012", "2015")]


def test_a_stroke_parts_a_title_from_its_employer():
    body = ["#Experience", "**Chef / Grand Hotel", "2019 - 2021", "- Wrote the menu", ""]
    body += ["**Cook / Harbour Inn Ltd", "2016 - 2019", *SCHOOL]
    assert [said(work.position, work.name) for work in page(*body).work] == [
        ("Chef", "Grand Hotel"), ("Cook", "Harbour Inn Ltd"),
    ]  # fmt: skip


def test_a_stroke_inside_a_title_parts_nothing_where_the_employer_stands_below():
    body = ["#Experience", "**Software Engineer / Python", "Northwind Ltd", "2019 - 2021", "- Built it", ""]
    body += ["**UX / UI Designer", "Helix Ltd", "2016 - 2019", *SCHOOL]
    assert [said(work.position, work.name) for work in page(*body).work] == [
        ("Software Engineer / Python", "Northwind Ltd"), ("UX / UI Designer", "Helix Ltd"),
    ]  # fmt: skip


def test_a_bold_school_under_a_bold_degree_that_fills_its_line_is_another_line():
    body = [*JOB, "#Education", "2012 - 2015", "**BSc in Computer Science", "**University of East Anglia"]
    narrow = parse(draw(write("Ada Lovelace", 40, 30, size=22, bold=True), stack(body, 40, 70)))
    assert schools(narrow) == [("BSc", "University of East Anglia", "2012", "2015")]


def test_the_last_word_of_a_school_may_stand_alone_below_it():
    body = ["2012 - 2015", "**BSc Tourism", "Northern Lakes State", "University", "2008 - 2012", "**Diploma Tourism"]
    profile = parse(draw(stack(["#Education", *body, "Leeds College"], 40, 70)))
    assert schools(profile)[0] == ("BSc", "Northern Lakes State University", "2012", "2015")


def test_a_skill_goes_on_under_the_line_with_its_level():
    names = stack([*CONTACT, "", "#Skills", "Forklift", "operation", "Excel", "Preventive", "maintenance"], 40, 70)
    levels = [word for at in (140, 168, 182) for word in write("●●●○○", 110, at)]
    title = write("Ada Lovelace", 240, 30, size=22, bold=True)
    profile = parse(draw(title, names, iter(levels), stack([*JOB, *SCHOOL], 240, 70)))
    assert skills(profile) == ["Forklift operation", "Excel", "Preventive maintenance"]


@pytest.mark.parametrize(
    ("lines", "number"),
    [(["Phone: +34 612 345", "819"], "+34612345819"), (["Phone: +1 418", "555-0101"], "+14185550101")],
)
def test_a_telephone_number_goes_on_in_the_next_line(lines: list[str], number: str):
    side = ["#Contact", "ada@mail.example", *lines, "London"]
    phones = beside(side).basics.phone
    assert phones is not None
    assert phones.normal == number


def test_a_number_under_a_whole_one_is_no_part_of_it():
    side = ["#Contact", "ada@mail.example.net", "+44 20 7946 0018", "7946 0019"]
    phone = beside(side).basics.phone
    assert PHONE_LIKE.fullmatch("7946 0019")
    assert said(phone) == ("+44 20 7946 0018",)


@pytest.mark.parametrize(
    ("lines", "city"),
    [
        (["Calle Hidalgo 180, Ciudad de", "México"], "Ciudad de México"),
        (["Avda. Mayor 22, 2º", "A, Bilbao"], "Bilbao"),
        (["12, rue", "Saint-Denis,", "Montréal (QC)"], "Montréal"),
        (["9/173 Bondi Road, Melbourne VIC"], "Melbourne VIC"),
    ],
)
def test_a_street_and_its_town_may_take_several_lines(lines: list[str], city: str):
    place = beside(["#Contact", "ada@mail.example", *lines]).basics.location
    assert place is not None
    assert said(place.city) == (city,)


def test_a_town_may_be_named_with_where_it_lies():
    assert is_town("Freiburg im Breisgau")
    assert judge_place("Freiburg im Breisgau") == 1
    assert not is_town("Partner im Vertrieb")


def test_small_words_of_a_family_name_do_not_count_in_its_second_line():
    page = draw(
        stack(["ada@mail.example", *JOB, *SCHOOL], 240, 90),
        write("Daan", 40, 30, size=17, bold=True),
        write("van der Berg", 40, 50, size=17, bold=True),
    )
    assert said(parse(page).basics.name) == ("Daan van der Berg",)
