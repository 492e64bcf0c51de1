"""Columns that are pushed to the right, headings that are centred or spaced, and rails that end above columns."""

from collections.abc import Iterator

from dibs.services.resumes.document import Box, Word
from dibs.services.resumes.understanding.layout.segments import find_segments
from tests.services.resumes.understanding.drawing import draw, parse, read, said, stack, write
from tests.services.resumes.understanding.test_habits import skills

NAME = "Ada Lovelace"
JOBS = [
    "#Profile", "I count what others only guess, and have done so", "for ten years in houses of every size", "",
    "#Experience", "2019 - 2021", "**Data Engineer", "Northwind Ltd", "- Built the pipeline that counts all", "",
    "2016 - 2019", "**Analyst", "Helix Group", "- Wrote the reports that people read",
]  # fmt: skip


def push(lines: list[str], right: float, top: float, *, step: float = 14.0) -> Iterator[Word]:
    """Set lines under each other so that they end at one place."""
    for number, line in enumerate(lines):
        is_heading = line.startswith("#")
        words = list(write(line.lstrip("#"), 0, top + number * step, size=13 if is_heading else 10, bold=is_heading))
        moved = right - max((word.box.right for word in words), default=0.0)
        for word in words:
            box = word.box
            yield Word(
                word.text, Box(1, box.left + moved, box.top, box.right + moved, box.bottom), word.size, word.bold
            )


def space(text: str, left: float, top: float, *, apart: float = 7.0) -> Iterator[Word]:
    """Set words whose letters stand apart, as the reader gives them: each as wide as its letters with their white."""
    for word in text.split():
        right = left + len(word) * (7 + apart)
        yield Word(word, Box(1, left, top, right, top + 13), 11.0, True)
        left = right + 4 + apart


def test_a_sidebar_that_is_pushed_to_the_right_is_read_by_itself():
    side = [
        "ada@mail.example",
        "+44 20 7946 0018",
        "Leeds",
        "",
        "#Skills",
        "Kubernetes",
        "Terraform",
        "Grafana",
        "Elasticsearch",
    ]
    name = write("Ada Augusta Byron King Lovelace", 160, 30, size=22, bold=True)
    page = draw(name, stack(JOBS, 40, 80), push(side, 560, 80))
    profile = parse(page)
    assert skills(profile) == ["Kubernetes", "Terraform", "Grafana", "Elasticsearch"]
    assert said(profile.basics.email) == ("ada@mail.example",)
    assert [said(one.position, one.name) for one in profile.work] == [
        ("Data Engineer", "Northwind Ltd"), ("Analyst", "Helix Group"),
    ]  # fmt: skip


def test_a_name_goes_on_below_also_where_lines_are_pushed_to_the_right():
    side = [
        "ada@mail.example",
        "+44 20 7946 0018",
        "Leeds",
        "",
        "#Education",
        "BSc Mathematics",
        "National University of",
    ]
    name = write("Ada Augusta Byron King Lovelace", 160, 30, size=22, bold=True)
    page = draw(name, stack(JOBS, 40, 80), push([*side, "Ireland", "2012"], 560, 80))
    assert [said(one.institution) for one in parse(page).education] == [("National University of Ireland",)]


def test_words_whose_letters_stand_apart_are_one_heading():
    assert [segment.text for segment in find_segments(space("WORK EXPERIENCE", 40, 40))] == ["WORK EXPERIENCE"]


def test_words_that_stand_apart_in_usual_letters_are_two():
    words = [*write("WORK", 40, 40, size=11), *write("EXPERIENCE", 75, 40, size=11)]
    assert [segment.text for segment in find_segments(words)] == ["WORK", "EXPERIENCE"]


def test_no_river_runs_around_a_heading_that_is_centred():
    """The text of a rail begins left of the middle, so that the heading seems to stand in its column."""
    lines = [
        write("Helping others to count, and to be counted", 140, 60, size=10),
        write("Skills", 272, 90, size=13, bold=True), write("Kubernetes, Terraform", 40, 110),
        write("Experience", 262, 140, size=13, bold=True),
        write("Northwind Ltd", 110, 165, bold=True), write("2019 - 2021", 120, 179),
        write("Data Engineer", 193, 165, bold=True), stack(["- Built what counts", "- Led a team"], 193, 179),
        write("Helix Group", 120, 215, bold=True), write("2016 - 2019", 120, 229),
        write("Analyst", 193, 215, bold=True), stack(["- Wrote reports", "- Read them, too"], 193, 229),
        write("Education", 267, 270, size=13, bold=True), write("University of Leeds, BSc Mathematics, 2012", 200, 290),
        write("x", 40, 20), write("x", 550, 20),
    ]  # fmt: skip
    found = read(draw(write(NAME, 231, 30, size=22, bold=True), *lines))
    assert found.index("Experience") < found.index("Northwind Ltd") < found.index("Data Engineer")
    assert found.index("Led a team") < found.index("Helix Group") < found.index("Education")


def test_a_rail_ends_above_headings_that_stand_side_by_side():
    rail = [("Northwind Ltd", "2019 - 2021", "Data Engineer"), ("Helix Group", "2016 - 2019", "Analyst")]
    lines = [stack(["#Experience"], 40, 80)]
    for number, (house, dates, title) in enumerate(rail):
        top = 100 + 60 * number
        lines += [stack([f"**{house}", dates], 40, top), stack([f"**{title}", "- Did it", "- And that"], 160, top)]
    lines += [stack(["#Contact", "ada@mail.example", "Leeds", "+44 20 7946 0018"], 40, 240)]
    lines += [stack(["#Skills", "- Kubernetes", "- Terraform", "- Kafka"], 214, 240)]
    lines += [stack(["#Languages", "English", "French", "Polish"], 400, 240)]
    profile = parse(draw(write(NAME, 40, 30, size=22, bold=True), *lines))
    assert [said(one.position, one.name, one.end_date) for one in profile.work] == [
        ("Data Engineer", "Northwind Ltd", "2021"), ("Analyst", "Helix Group", "2019"),
    ]  # fmt: skip
    assert skills(profile) == ["Kubernetes", "Terraform", "Kafka"]


def test_ranges_broken_in_two_under_each_other_are_labels_of_their_own():
    lines = [stack(["#Experience"], 40, 80)]
    rows = [("Feb 2021 to", "Today", "Lead", "Northwind Ltd"), ("Jan 2018 to", "Jan 2021", "Analyst", "Helix Group")]
    for number, (start, end, title, house) in enumerate([*rows, ("May 2015 to", "Jan 2018", "Clerk", "Acme Bank")]):
        lines += [stack([start, end], 40, 100 + 28 * number), stack([f"**{title}", house], 140, 100 + 28 * number)]
    profile = parse(draw(write(NAME, 40, 30, size=22, bold=True), stack(["ada@mail.example"], 40, 55), *lines))
    assert [said(one.name, one.start_date) for one in profile.work] == [
        ("Northwind Ltd", "2021-02"), ("Helix Group", "2018-01"), ("Acme Bank", "2015-05"),
    ]  # fmt: skip


def test_the_rest_of_a_bold_name_in_a_margin_is_no_question_of_a_form():
    lines = [stack(["#Experience"], 40, 80)]
    rows = [(["**Riverside Grammar", "**School", "2019 - 2021"], "Bursar"), (["**Helix Group", "2016 - 2018"], "Clerk")]
    for number, (label, title) in enumerate(rows):
        lines += [stack(label, 40, 100 + 70 * number)]
        lines += [stack([f"**{title}", "- Kept the books", "- Paid the bills", "- Rang it"], 180, 100 + 70 * number)]
    profile = parse(draw(write(NAME, 40, 30, size=22, bold=True), stack(["ada@mail.example"], 40, 55), *lines))
    assert [said(one.position, one.name) for one in profile.work] == [
        ("Bursar", "Riverside Grammar School"), ("Clerk", "Helix Group"),
    ]  # fmt: skip
