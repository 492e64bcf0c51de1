"""Labels beside their text, row by row: margins of dates and names, and forms that say what each row is."""

from collections.abc import Iterator, Sequence

from dibs.services.resumes.document import Word
from dibs.services.resumes.profile import Profile
from dibs.services.resumes.understanding.sections.asking import Asked, find_asked
from tests.services.resumes.understanding.drawing import draw, parse, read, said, stack, write

MARGIN, TEXT = 100.0, 115.0
HEAD = ["Ada Lovelace", "ada@mail.example", "Leeds"]


def head() -> Iterator[Word]:
    yield from write(HEAD[0], 40, 20, size=22, bold=True)
    yield from stack(HEAD[1:], 40, 52)


def beside(rows: Sequence[tuple[str, str]], top: float, *, step: float = 18.0) -> Iterator[Word]:
    """Set rows of a table: labels that end at the margin, their text behind it."""
    for number, (label, text) in enumerate(rows):
        at = top + number * step
        yield from write(label, MARGIN - 5 * len(label), at)
        yield from stack([text], TEXT, at)


def margin_of_dates() -> Profile:
    """Set headings over the text; in the margin dates, languages, and groups that are headings elsewhere."""
    words = [
        *stack(["#Work"], TEXT, 90),
        *stack(["01/2020 –", "Present"], 45, 112, step=13),
        *stack(["01/2016 –", "12/2019"], 45, 162, step=13),
    ]
    words += stack(["**Analyst", "Northwind Ltd, Leeds", "- Counted ships"], TEXT, 112, step=13)
    words += stack(["**Clerk", "Wayne Stores Ltd, York", "- Counted boxes"], TEXT, 162, step=13)
    words += [*stack(["#Languages"], TEXT, 215), *beside([("English", "Native"), ("French", "Fluent")], 237)]
    words += [*stack(["#Skills"], TEXT, 285), *beside([("Technical", "Python, Kafka"), ("Other", "Excel, Word")], 307)]
    return parse(draw(head(), iter(words)))


def test_names_of_groups_in_a_margin_of_dates_are_no_headings_where_the_text_has_them():
    profile = margin_of_dates()
    assert [said(work.position, work.name, work.start_date, work.end_date) for work in profile.work] == [
        ("Analyst", "Northwind Ltd", "2020-01", "present"),
        ("Clerk", "Wayne Stores Ltd", "2016-01", "2019-12"),
    ]


def test_each_label_of_a_table_stands_before_its_own_row():
    profile = margin_of_dates()
    assert [said(one.language, one.fluency) for one in profile.languages] == [
        ("English", "Native"),
        ("French", "Fluent"),
    ]
    assert [said(one.name)[0] for one in profile.skills] == ["Python", "Kafka", "Excel", "Word"]


def test_a_label_may_come_close_to_its_text():
    words = [*write("Experience", 40, 90, size=11, bold=True), *write("Northwind Ltd", 98, 90, size=12, bold=True)]
    words += stack(["Analyst, 2019 - 2021", "- Counted ships", "- Drew charts"], 98, 106)
    words += [
        *write("Education", 40, 160, size=11, bold=True),
        *stack(["University of Leeds", "BSc in Physics, 2015"], 98, 160),
    ]
    words += [*write("Skills", 40, 200, size=11, bold=True), *stack(["Python, Kafka"], 98, 200)]
    lines = read(draw(head(), iter(words)))
    assert "Experience" in lines
    assert "Northwind Ltd" in lines


FORM = [
    ("Dates", "01/2020 – Present"),
    ("Main activities", "Counted ships in nine harbours and wrote down what they carried."),
    ("Position held", "Analyst"),
    ("Name of employer", "Northwind, Leeds"),
    ("Dates", "01/2016 – 12/2019"),
    ("Position held", "Clerk"),
    ("Name of employer", "Zephyr, York"),
]


def test_a_form_is_read_by_its_labels_in_whatever_order_they_stand():
    words = [*write("WORK EXPERIENCE", 40, 90, size=13, bold=True), *beside(FORM, 112, step=14)]
    words += [
        *write("EDUCATION", 40, 230, size=13, bold=True),
        *beside([("Dates", "2012 – 2015"), ("Degree", "BSc in Physics"), ("School", "Leeds College")], 252, step=14),
    ]
    profile = parse(draw(head(), iter(words)))
    assert [said(work.position, work.name, work.start_date) for work in profile.work] == [
        ("Analyst", "Northwind", "2020-01"),
        ("Clerk", "Zephyr", "2016-01"),
    ]
    assert [said(one.institution, one.area) for one in profile.education] == [("Leeds College", "Physics")]


def test_labels_with_a_colon_say_what_their_rows_are():
    rows = [
        "#Work experience",
        "Company: Bluefin",
        "Designation: Clerk",
        "Duration: 2019 - 2021",
        "",
        "Company: Zephyr",
        "Designation: Porter",
        "Duration: 2015 - 2019",
    ]
    profile = parse(draw(head(), stack(rows, 40, 100)))
    assert [said(work.position, work.name, work.start_date) for work in profile.work] == [
        ("Clerk", "Bluefin", "2019"),
        ("Porter", "Zephyr", "2015"),
    ]


def test_what_a_form_asks_is_told_in_four_languages_and_only_by_labels():
    assert [find_asked(text) for text in ("Arbeitgeber", "Poste occupé", "Fechas:", "Responsabilidades")] == [
        Asked.EMPLOYER, Asked.POSITION, Asked.DATES, Asked.DUTIES,
    ]  # fmt: skip
    assert find_asked("Position of the stars") is None


def test_a_heading_at_the_foot_of_a_column_rules_the_text_below_both():
    left = ["#Work", "**Analyst", "Northwind Ltd", "2019 - 2021", "- Counted ships in nine harbours", "- Drew charts"]
    words = [*stack(left, 40, 100), *stack(["#Skills", "Python", "Kafka", "Excel"], 400, 100)]
    words += stack(
        ["#Education", "BSc in Physics, University of Leeds, with a thesis on tides and the moon (2012 - 2015)"],
        40,
        200,
    )
    profile = parse(draw(head(), iter(words)))
    assert [said(one.institution, one.start_date) for one in profile.education] == [("University of Leeds", "2012")]
