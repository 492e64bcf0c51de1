"""What belongs together in a margin: names and headings in several lines, tables of labels, headings set lower."""

from collections.abc import Iterator, Sequence

import pytest

from dibs.services.resumes.document import Word
from dibs.services.resumes.understanding.layout.judging import Verdict, group_labels, judge
from dibs.services.resumes.understanding.layout.rivers import River
from dibs.services.resumes.understanding.layout.segments import Segment, find_segments
from dibs.services.resumes.understanding.sections.asking import Asked, find_asked
from dibs.services.resumes.understanding.sections.wording import find_exact
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write

TEXT = 195.0
ROW = 17.0
"""From one row of a table to the next: farther than lines of one cell, but not so far as blocks."""


def part(words: Iterator[Word]) -> tuple[list[Segment], list[Segment]]:
    """Give the segments left and right of where the text begins."""
    found = find_segments(sorted(words, key=lambda word: word.box.top))
    for segment in found:
        segment.is_heading = find_exact(segment.text) is not None
    return [s for s in found if s.left < TEXT], [s for s in found if s.left >= TEXT]


def list_labels(words: Iterator[Word]) -> list[list[str]]:
    return [[s.text for s in label] for label in group_labels(*part(words))]


def beside(rows: Sequence[tuple[str, str]], top: float, *, step: float = ROW) -> Iterator[Word]:
    for number, (label, text) in enumerate(rows):
        yield from write(label, 40, top + number * step)
        yield from write(text, TEXT, top + number * step)


def test_a_heading_in_two_lines_is_one_label_though_each_has_text_beside_it():
    rows = [("Professional", "Senior DevOps Engineer"), ("Experience", "November 2021 - Present"), ("Leeds", "Ran it")]
    assert list_labels(beside(rows, 100)) == [["Professional", "Experience"], ["Leeds"]]


def test_a_name_in_large_letters_is_no_table_whatever_it_stands_beside():
    def name() -> Iterator[Word]:
        yield from write("Katharina", 40, 40, size=26)
        yield from write("Wöhrle", 40, 84, size=26)
        yield from stack(["Bauingenieurin", "Filderstraße 12", "Stuttgart", "k.w@mail.example"], TEXT, 50)

    assert list_labels(name()) == [["Katharina", "Wöhrle"]]


def judge_margin(words: Iterator[Word]) -> Verdict:
    return judge(River(TEXT, *map(tuple, part(words))))


def dated(*tops: float) -> Iterator[Word]:
    """Set entries, each with its dates in the margin."""
    for top in tops:
        yield from beside([("2012 - 2014", "Clerk")], top)
        yield from write("Northwind Ltd", TEXT, top + 12)


def test_a_table_of_contacts_does_not_outweigh_the_headings_and_dates_of_its_margin():
    contacts = [("Name", "Ada"), ("Address", "Leeds"), ("Telephone", "0221 5550"), ("E-mail", "a@b.example")]
    words = [*beside([*contacts, ("Born", "Leeds")], 40), *write("Experience", 40, 150), *dated(180, 220)]
    words += [*write("Education", 40, 260), *dated(290, 330)]
    words += [*beside([("Skills", "Python"), ("Languages", "English")], 370, step=40)]
    assert judge_margin(iter(words)) is Verdict.ROWS


def test_a_table_does_not_make_a_margin_of_what_is_hardly_level_with_its_text():
    words = [*dated(100, 140, 180), *write("Education", 40, 220), *dated(250, 290), *write("Skills", 40, 330)]
    words += beside([("AutoCAD", "Revit"), ("Kafka", "Word"), ("Excel", "SQL")], 360)
    words += [*write("Languages", 40, 440), *beside([("English", "C1")], 470)]
    assert judge_margin(iter(words)) is Verdict.COLUMNS


def test_a_heading_that_is_set_a_little_lower_than_its_text_is_read_before_it():
    form = [("Dates", "2011 - 2014"), ("Degree", "BSc in Physics"), ("School", "University of Leeds")]
    words = [*write("Ada Lovelace", 40, 20, size=22, bold=True), *stack(["ada@mail.example"], 40, 50)]
    words += [*write("Education", 40, 88, size=12, bold=True), *beside(form, 110, step=14)]
    words += [*write("Skills", 40, 186, size=12, bold=True), *stack(["Python, Kafka"], TEXT, 180)]
    words += [*write("Languages", 40, 210, size=12, bold=True), *stack(["English, French"], TEXT, 228)]
    profile = parse(draw(iter(words)))
    assert [said(study.institution) for study in profile.education] == [("University of Leeds",)]
    assert [said(skill.name)[0] for skill in profile.skills] == ["Python", "Kafka"]


@pytest.mark.parametrize(
    "text",
    [
        "Name of organisation providing education",
        "Name der Bildungseinrichtung",
        "Nom de l'établissement",
        "Nombre del centro de formación",
    ],
)
def test_a_form_may_ask_for_the_school_in_fewer_words(text: str):
    assert find_asked(text) is Asked.SCHOOL
