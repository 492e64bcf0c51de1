"""What narrow columns do to words: levels beside names, names over two lines, endings of addresses on the next one."""

from collections.abc import Iterator, Sequence

import pytest

from dibs.services.resumes.document import Box, Word
from dibs.services.resumes.profile import Profile
from dibs.services.resumes.understanding.layout.segments import find_segments
from dibs.services.resumes.understanding.normal.levels import is_rating
from dibs.services.resumes.understanding.sections.wording import names_group, names_part
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write

WORK = ["#Work", "**Analyst", "Northwind Ltd", "2019 - 2021", "- Counted ships in nine harbours", "- Drew charts"]


def name() -> Iterator[Word]:
    yield from write("Ada Lovelace", 240, 20, size=22, bold=True)


def beside(*columns: Sequence[str], **places: float) -> Profile:
    """Parse a page with a sidebar, of one column or of two beside each other, and work to its right."""
    lefts = (40.0, places.get("second", 130.0))
    sides = [stack(lines, left, 60) for lines, left in zip(columns, lefts, strict=False)]
    return parse(draw(name(), *sides, stack(WORK, 240, 60)))


def skills(profile: Profile) -> list[str]:
    return [word.value for one in profile.skills for word in (one.keywords or (one.name,)) if word]


@pytest.mark.parametrize(
    "levels", [("★★★★☆", "★★★☆☆", "★★★★★"), ("Expert", "Advanced", "Basic"), ("90%", "70 %", "45%")]
)
def test_levels_beside_skills_are_no_column_of_their_own(levels: tuple[str, ...]):
    left = ["#Skills", "Python", "Kafka", "Excel", "", "#Languages", "English", "French"]
    profile = beside(left, ["", *levels, "", "", "Native", "Fluent"])
    assert skills(profile) == ["Python", "Kafka", "Excel"]
    assert [said(one.language, one.fluency) for one in profile.languages] == [
        ("English", "Native"),
        ("French", "Fluent"),
    ]


def test_a_rating_says_nothing_but_how_well():
    assert all(map(is_rating, ("●●●○○", "80 %", "4/5", "(Native)", "fortgeschritten", "B2")))
    assert not any(map(is_rating, ("Python", "5 years", "Basic accounting", "3/2019")))


def test_a_skill_over_two_lines_is_one_where_lines_of_others_stand_farther_apart():
    names = [
        ("Intensive", 0),
        ("nursing", 13),
        ("Mechanical", 34),
        ("ventilation", 47),
        ("Triage", 68),
        ("Wound", 89),
        ("dressings", 102),
    ]
    side = [word for text, down in names for word in write(text, 40, 82 + down)]
    profile = parse(draw(name(), stack(["#Skills"], 40, 60), iter(side), stack(WORK, 240, 60)))
    assert skills(profile) == ["Intensive nursing", "Mechanical ventilation", "Triage", "Wound dressings"]


def test_a_list_goes_on_behind_the_end_of_its_line_also_with_its_last_word():
    profile = beside(["#Skills", "Budgets • Sales • Market", "research", "", "#Interests", "Chess and rowing clubs"])
    assert "Market research" in skills(profile)


def test_a_subject_goes_on_in_the_next_line():
    profile = beside(
        ["#Education", "**Leeds College", "MSc in Structural", "Engineering", "2013 - 2014", "", "#Skills", "Python"]
    )
    assert [said(one.institution, one.area, one.start_date) for one in profile.education] == [
        ("Leeds College", "Structural Engineering", "2013")
    ]


def test_languages_on_one_line_have_a_level_each():
    profile = beside(["#Languages", "English Native French Fluent"])
    assert [said(one.language, one.fluency) for one in profile.languages] == [
        ("English", "Native"),
        ("French", "Fluent"),
    ]


def test_a_level_in_brackets_may_stand_on_the_next_line():
    profile = beside(["#Languages", "German (Native), English", "(C1), Czech (A2)"])
    assert [said(one.language, one.fluency) for one in profile.languages] == [
        ("German", "Native"), ("English", "C1"), ("Czech", "A2"),
    ]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [("ada.lovelace@mail.exam", "ple"), ("ada.lovelace@mailbox.co", "m")])
def test_the_ending_of_a_mail_address_may_be_broken(first: str, second: str):
    email = beside(["#Contact", first, second, "Leeds"]).basics.email
    assert said(email) == (first + second,)


def test_a_word_below_a_whole_mail_address_is_not_its_ending():
    assert said(beside(["#Contact", "ada.lovelace@mail.example", "leeds"]).basics.email) == (
        "ada.lovelace@mail.example",
    )


def test_the_host_of_a_broken_mail_address_is_no_page_of_the_person():
    basics = beside(["#Contact", "ada.lovelace", "@correo.example", "Leeds"]).basics
    assert said(basics.email, basics.url) == ("ada.lovelace@correo.example", None)


def test_small_capitals_that_are_smaller_capitals_are_one_word():
    words = [
        Word("T", Box(1, 60, 50, 72, 72), size=20, bold=True),
        Word("HANDI", Box(1, 72.2, 54, 120, 72), size=16, bold=True),
    ]
    assert [segment.text for segment in find_segments(words)] == ["THANDI"]


def test_groups_and_parts_are_known_by_names_with_accents():
    assert all(map(names_group, ("Métier", "Técnicas", "Méthodes")))
    assert names_part("Tätigkeiten")


def schools(*below: str) -> list[tuple[str | None, ...]]:
    """Parse a page whose school stands plain behind a bold degree, beside dates, and goes on in these lines."""
    row = *write("BSc Physics,", 40, 80, bold=True), *write("Jagiellonian", 105, 80), *write("2011 - 2014", 185, 80)
    page = draw(name(), stack(["#Education"], 40, 60), iter(row), stack(below, 40, 93, step=13))
    return [said(one.institution) for one in parse(page).education]


def test_a_plain_name_behind_a_bold_one_goes_on_below_where_dates_left_no_room():
    assert schools("University") == [("Jagiellonian University",)]


@pytest.mark.parametrize("below", ["Kraków", "First of her year in all subjects"])
def test_a_place_or_a_sentence_below_is_no_end_of_a_name(below: str):
    assert schools(below) == [("Jagiellonian",)]
