"""Dates in cells of their own, behind the text or before it, and beside a sidebar: whose they are."""

from collections.abc import Sequence

from dibs.services.resumes.document import Box, Page, Word
from dibs.services.resumes.understanding.layout.judging import Verdict, group_labels, judge
from dibs.services.resumes.understanding.layout.regions import Frame, read_region
from dibs.services.resumes.understanding.layout.rivers import River, find_rivers
from dibs.services.resumes.understanding.layout.segments import Segment, find_segments
from tests.services.resumes.understanding.drawing import draw, parse, read, stack, write
from tests.services.resumes.understanding.test_habits import works

Cells = Sequence[tuple[str, float, float]]
SIDE = ["#Contact", "ada@mail.example", "+44 20 7946 0018", "London", "", "#Skills", "Kubernetes", "Terraform", "Excel"]
SIDE += ["Python", "", "#Languages", "English", "French"]


def table(cells: Cells, *, left: float = 0.0, side: float | None = None, heading: float = 90.0) -> Page:
    """Draw a section of work whose cells stand at places, and perhaps a sidebar."""
    words = [word for text, at, top in cells for word in stack([text], left + at, top)]
    beside = stack(SIDE, side, 76) if side is not None else iter(())
    name = write("Ada Lovelace", left + 40, 30, size=22, bold=True)
    return draw(name, beside, stack(["#Experience"], left + 40, heading), iter(words))


THREE = [
    ("Stone Retail LLP", 40, 120), ("**Brand Manager", 164, 120), ("2021 - present", 300, 120), ("Birmingham", 40, 134),
    ("Harbourgate Logistics", 40, 148), ("**Marketing Manager", 164, 148), ("2019 - 2021", 300, 148),
    ("& Sons", 40, 162), ("- Trained four new", 164, 162), ("Leeds", 40, 176), ("- Wrote the plan", 164, 176),
    ("- Kept it", 164, 190),
]  # fmt: skip
THREE_JOBS = [
    ("Brand Manager", "Stone Retail LLP", "2021", "present"),
    ("Marketing Manager", "Harbourgate Logistics & Sons", "2019", "2021"),
]


def test_a_table_without_lines_whose_dates_stand_last_is_read_row_by_row():
    assert works(parse(table(THREE))) == THREE_JOBS


def test_a_table_whose_dates_stand_last_may_stand_beside_a_sidebar():
    assert works(parse(table(THREE, side=380))) == THREE_JOBS


def test_dates_behind_the_text_belong_to_it_and_not_to_the_column_behind_them():
    cells = [
        ("**Engineer", 40, 120), ("2019 - 2021", 250, 120), ("Northwind Ltd", 40, 134),
        ("- Built a warehouse", 40, 148), ("- Kept the reports of nine towns", 40, 162),
        ("**Developer", 40, 176), ("2016 - 2018", 250, 176),
        ("Helix Labs Ltd", 40, 190), ("- Wrote the parser", 40, 204),
    ]  # fmt: skip
    assert works(parse(table(cells, side=330))) == [
        ("Engineer", "Northwind Ltd", "2019", "2021"), ("Developer", "Helix Labs Ltd", "2016", "2018"),
    ]  # fmt: skip


def test_a_line_beside_a_broken_date_is_another_line_where_it_had_room():
    words = [*write("Waitress", 40, 60), *write("Feb. 2022 – Sept.", 300, 60)]
    words += [*write("Hotel Adler", 40, 74), *write("2022", 300, 74)]
    assert read(draw(iter(words))) == ["Waitress Feb. 2022 – Sept. 2022", "Hotel Adler"]


def test_a_range_may_take_three_lines_of_its_cell():
    cells = [("**Engineer", 40, 120), ("Northwind Ltd", 40, 134), ("- Built a warehouse", 40, 148)]
    cells += [(text, 300, 120 + 14 * at) for at, text in enumerate(("December", "2020 – April", "2023"))]
    assert works(parse(table(cells))) == [("Engineer", "Northwind Ltd", "2020-12", "2023-04")]


def test_a_range_may_take_three_lines_of_a_margin():
    labels = ["September", "2012 — ", "December", "2014"]
    found = group_labels(find_segments(draw(stack(labels, 40, 60)).words))
    assert len(found) == 1


def test_the_beginning_of_a_range_may_stand_in_a_line_of_its_own():
    cells = [("**Engineer", 140, 120), ("Northwind Ltd", 140, 134), ("- Built a warehouse", 140, 148)]
    cells += [("Since", 40, 120), ("02/2022", 40, 134)]
    assert [work[2] for work in works(parse(table(cells)))] == ["2022-02"]


RAIL = [
    ("2019 - 2021", 0, 120), ("**Engineer", 110, 120), ("Northwind Ltd", 110, 134), ("- Built a warehouse", 110, 148),
    ("- Kept it for nine towns", 110, 162), ("2016 - 2018", 0, 176), ("**Developer", 110, 176),
    ("Helix Labs Ltd", 110, 190), ("- Wrote the parser of all reports", 110, 204), ("2012 - 2014", 0, 218),
    ("**Analyst", 110, 218), ("Bluefield Ltd", 110, 232), ("- Drew charts", 110, 246),
]  # fmt: skip


def mark(segments: list[Segment], *headings: str) -> list[Segment]:
    for segment in segments:
        segment.is_heading = segment.text in headings
    return segments


def put(text: str, left: float, right: float, top: float, *, bold: bool = False) -> Word:
    """Set a line as one word, as wide as it was where it was found."""
    return Word(text, Box(1, left, top, right, top + 10), size=11.0 if bold else 10.5, bold=bold)


def test_a_column_before_dates_and_their_text_is_no_label_of_them():
    side = [put("Languages", 34, 92, 319, bold=True), put("English –", 34, 86, 337), put("Skills", 34, 92, 382)]
    dates = [put("2023", 176, 202, 208), put("November 2018 –", 176, 269, 308), put("April 2022", 176, 230, 321)]
    text = [put("Northwind Ltd, Leeds", 289, 450, 211), put("Draughtsman", 289, 357, 308), put("Helix", 289, 439, 516)]
    segments = mark(find_segments([*side, *dates, *text]), "Languages")
    first = next(read_region(segments, Frame(0.0, 595.0)))
    assert [s.text for s in first.segments] == ["Languages", "English –", "Skills"]


def test_a_date_beside_a_bold_line_is_not_in_the_middle_of_the_items_above_it():
    cells = [
        ("2019 - 2021", 40, 120), ("**Engineer", 140, 120), ("Northwind Ltd", 140, 134),
        ("- Built a warehouse", 140, 158), ("- Kept it", 140, 172), ("- Cut its costs", 140, 186),
        ("2016 - 2018", 40, 200), ("**Developer", 140, 200), ("Helix Labs Ltd", 140, 214), ("- Wrote it", 140, 228),
        ("- Ran it", 140, 242),
    ]  # fmt: skip
    assert works(parse(table(cells))) == [
        ("Engineer", "Northwind Ltd", "2019", "2021"), ("Developer", "Helix Labs Ltd", "2016", "2018"),
    ]  # fmt: skip


def test_a_heading_that_is_centred_by_chance_does_not_end_the_column_beside_it():
    side = stack(["ada@mail.example", "London", "Kubernetes", "Terraform"], 40, 60, step=30)
    main = stack(["EXPERIENCE", "Northwind Ltd", "EDUCATION", "Leeds"], 230, 75, step=30)
    wide = write("Kept the plans", 403, 105)
    segments = mark(find_segments(draw(side, main, wide).words), "EXPERIENCE", "EDUCATION")
    middle = (min(s.left for s in segments) + max(s.right for s in segments)) / 2
    heading = next(s for s in segments if s.text == "EXPERIENCE")
    assert abs((heading.left + heading.right) / 2 - middle) < heading.size
    assert any(len(river.left) == len(river.right) - 1 == 4 for river in find_rivers(segments))


def test_a_sidebar_that_is_pushed_against_a_short_text_is_no_rail():
    side = [put("Systems. Known", 25, 139, 300), put("2015", 120, 139, 486)]
    side += [put("Language Skills", 61, 139, 709, bold=True), put("Interests", 42, 139, 766, bold=True)]
    segments = find_segments([*side, put("• Coordinated suppliers in nine countries", 200, 559, 302)])
    left, right = mark(segments[:1] + segments[2:], "Language Skills", "Interests"), tuple(segments[1:2])
    assert judge(River(200, tuple(left), right)) is not Verdict.ROWS
