"""Section names and dates in a margin: which text each of them stands for."""

from collections.abc import Iterator

from dibs.services.resumes.document import Box, Word
from dibs.services.resumes.understanding.layout.judging import group
from dibs.services.resumes.understanding.layout.segments import Segment, find_segments
from tests.services.resumes.understanding.drawing import draw, parse, read, said, stack, write

MARGIN = 180.0
TEXT = 195.0


def flush(text: str, top: float, *, size: float = 10.0) -> Iterator[Word]:
    """Set a label so that it ends at the margin."""
    words = text.split()
    width = sum(0.5 * size * len(word) for word in words) + 0.25 * size * (len(words) - 1)
    yield from write(text, MARGIN - width, top, size=size)


def labels(*told: tuple[str, float, float]) -> list[Word]:
    return [word for text, top, size in told for word in flush(text, top, size=size)]


def lines(*texts: str, top: float) -> list[Word]:
    return list(stack(texts, TEXT, top))


def passport() -> Iterator[Word]:
    """A page with nothing bold: headings a little larger than text, in the margin, above what they rule."""
    yield from labels(("Europass", 20, 14), ("Curriculum Vitae", 37, 14))
    yield from labels(("Personal information", 60, 12), ("Name", 85, 10), ("Address", 105, 10), ("Email", 125, 10))
    yield from write("Adaeze Okafor", TEXT, 84, size=12)
    yield from lines("129 Ring Road, Port Harcourt", top=105)
    yield from lines("a.okafor@inbox.example", top=125)
    yield from labels(("Experience", 160, 12), ("05/2022 - Present", 190, 10), ("06/2017 - 05/2022", 246, 10))
    yield from lines("Art Director", "Cedarstead Retail Ventures", "- Led a team of nine", "- Planned it", top=190)
    yield from lines("Product Designer", "Falcon Logistics Group", "- Rolled out a process", "- Drew", top=246)
    yield from labels(("Education", 320, 12), ("09/2002 - 07/2005", 350, 10))
    yield from lines("University of Lagos", "Master of Arts in Graphic Design", top=350)
    yield from labels(("Key Skills", 400, 12), ("Languages", 460, 12), ("Interests", 520, 12))
    yield from lines("Figma, Sketch, Typography", top=425)
    yield from lines("English, French", top=485)
    yield from lines("Chess, Pottery", top=545)


def test_labels_that_are_pushed_against_their_text_are_a_rail_also_where_headings_stand_above_it():
    profile = parse(draw(passport()))
    assert [said(work.position, work.name, work.start_date) for work in profile.work] == [
        ("Art Director", "Cedarstead Retail Ventures", "2022-05"),
        ("Product Designer", "Falcon Logistics Group", "2017-06"),
    ]
    assert [said(study.institution, study.study_type) for study in profile.education] == [
        ("University of Lagos", "Master of Arts")
    ]
    assert [said(skill.name) for skill in profile.skills] == [("Figma",), ("Sketch",), ("Typography",)]


def test_a_name_that_is_set_like_the_headings_does_not_end_the_section_it_stands_in():
    place = parse(draw(passport())).basics.location
    assert place is not None
    assert said(place.city) == ("Port Harcourt",)


def test_a_date_in_the_middle_of_a_block_stands_beside_its_own_line_where_other_dates_do():
    page = draw(
        write("Ada Lovelace", 40, 20, size=22, bold=True),
        stack(["ada@mail.example"], 40, 50),
        iter(
            labels(("Experience", 90, 13), ("2019 - 2021", 120, 10), ("2016 - 2018", 190, 10), ("2012 - 2014", 274, 10))
        ),
        iter(lines("Data Engineer", "Northwind Ltd", "- Built a warehouse", "- Cut its costs", "", top=120)),
        iter(lines("Developer", "", "Helix Labs Ltd", "- Wrote the parser", "- Kept it", "- Ran it", top=190)),
        iter(lines("Analyst", "Bluefield Ltd", "- Wrote reports", "- Kept ledgers", "- Drew plans", top=274)),
    )
    found = read(page)
    assert found.index("2012 - 2014") == found.index("Analyst") - 1


def test_a_heading_of_two_lines_rules_the_text_below_it_and_not_the_nearer_text_above():
    page = draw(
        write("Ada Lovelace", 40, 20, size=22, bold=True),
        stack(["ada@mail.example"], 40, 50),
        iter(labels(("SKILLS", 90, 12), ("PROFESSIONAL", 150, 12), ("EXPERIENCE", 164, 12), ("2019 - 2021", 200, 10))),
        iter(lines("Excel, Terraform, Kafka,", "Python, Redis", top=116)),
        iter(lines("Data Engineer", "Northwind Ltd", "- Built a warehouse", top=200)),
        iter(labels(("EDUCATION", 262, 12), ("2010 - 2013", 290, 10))),
        iter(lines("University of Leeds", "BSc Mathematics", top=290)),
    )
    found = read(page)
    assert found.index("PROFESSIONAL") > found.index("Python, Redis")


def test_the_foot_of_pages_with_numbers_is_no_part_of_the_text_on_the_first_page_either():
    pages = []
    for number in (1, 2):
        foot = [*write(f"Page {number} - Curriculum vitae of", 60, 800, page=number)]
        foot += write("Ada Lovelace", 110, 812, page=number)
        body = stack(["#Education", "University of Leeds", "BSc Mathematics", f"200{number}"], 40, 60, page=number)
        pages.append(draw(body, iter(foot), number=number))
    assert [line for line in read(*pages) if "Curriculum" in line or "Lovelace" in line] == []


def test_the_heading_of_a_section_pushes_its_first_date_a_line_down():
    page = draw(
        write("Ada Lovelace", 40, 20, size=22, bold=True),
        stack(["ada@mail.example"], 40, 50),
        iter(labels(("Education", 96, 13), ("2004 - 2006", 113, 8), ("2002 - 2004", 150, 8), ("Skills", 200, 13))),
        iter(lines("**Jagiellonian University", "Bachelor of Science: Business", top=100)),
        iter(lines("**Warsaw University of Technology", "MBA: International Business", top=150)),
        iter(lines("Excel, Salesforce, Kafka", top=202)),
    )
    found = read(page)
    assert found.index("2004 - 2006") == found.index("Jagiellonian University") - 1


def test_lines_that_stand_evenly_far_apart_are_one_block():
    tops = (100, 119.5, 139, 159)
    words = [word for top in tops for word in write("English", 40, top)]
    assert len(group([Segment([word], row) for row, word in enumerate(words)])) == 1


def test_white_that_is_more_than_that_between_lines_parts_blocks():
    words = [word for top in (100, 114, 128, 152) for word in write("English", 40, top)]
    assert [len(part) for part in group([Segment([word], row) for row, word in enumerate(words)])] == [3, 1]


def test_small_capitals_that_are_set_apart_are_one_word():
    first, rest = (
        Word("P", Box(1, 124, 416.1, 127.7, 422.8), size=6),
        Word("resent", Box(1, 128.6, 418.5, 150, 421.5), size=4.5),
    )
    assert [segment.text for segment in find_segments([first, rest])] == ["Present"]
