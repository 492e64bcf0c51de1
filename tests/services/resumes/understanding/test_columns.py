"""Habits of two columns and panels: what a narrow place does to dates, names and lists."""

from collections.abc import Iterable

import pytest

from dibs.services.resumes.document import Word
from dibs.services.resumes.profile import PRESENT, Profile
from dibs.services.resumes.understanding.fields.making import make_dates
from dibs.services.resumes.understanding.layout.judging import Verdict, group_labels, judge
from dibs.services.resumes.understanding.layout.lines import make_lines
from dibs.services.resumes.understanding.layout.regions import Frame, Leaf
from dibs.services.resumes.understanding.layout.rivers import River
from dibs.services.resumes.understanding.layout.segments import Segment, find_segments
from dibs.services.resumes.understanding.layout.streams import join_pages
from dibs.services.resumes.understanding.normal.dates import find_dates, is_pair
from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.sections.rows import Row
from tests.services.resumes.understanding.drawing import draw, parse, read, said, stack, write
from tests.services.resumes.understanding.test_habits import HEAD, JOB, SCHOOL, _wide, page, skills, web, works


def wide(*texts: tuple[str, float, float]) -> list[Word]:
    return [word for text, left, top in texts for word in write(text, left, top)]


def name_of(*lines: str, size: float = 20.0) -> tuple[str | None, ...]:
    rows = [write(line, 40, 20 + at * 1.2 * size, size=size, bold=True) for at, line in enumerate(lines)]
    return said(parse(draw(*rows, stack(["office@mail.example"], 40, 120), stack(JOB, 40, 160))).basics.name)


def test_lists_in_columns_are_read_before_the_next_section_of_their_column():
    left = [*JOB, *SCHOOL, "", "Told at length below", "and once more here"]
    right = [stack(["#Skills"], 320, 140), stack(["Kubernetes", "Terraform", "Redis"], 320, 156)]
    right += [stack(["PostgreSQL", "Kafka", "Go"], 440, 156), stack(["#Languages", "English", "French"], 320, 208)]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack(left, 40, 140), *right))
    assert sorted(skills(profile)) == ["Go", "Kafka", "Kubernetes", "PostgreSQL", "Redis", "Terraform"]
    assert [said(one.language) for one in profile.languages] == [("English",), ("French",)]


def test_the_end_of_a_range_may_stand_beside_a_list_item():
    body = ["#Experience", "**Data Engineer", "Northwind Ltd", "- Built a warehouse", "- Cut its costs", ""]
    body += ["**Developer", "Helix Labs Ltd", "- Wrote the parser", "", *SCHOOL]
    dates = wide(("Leeds", 460, 154), ("Jan 2019 - May", 460, 168), ("2021", 460, 182))
    dates += wide(("York", 460, 224), ("Mar 2016 - Dec", 460, 238), ("2018", 460, 252))
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack(body, 40, 140), iter(dates)))
    assert works(profile) == [
        ("Data Engineer", "Northwind Ltd", "2019-01", "2021-05"), ("Developer", "Helix Labs Ltd", "2016-03", "2018-12")
    ]  # fmt: skip


@pytest.mark.parametrize("ends", [("01/2019–", "05/2021"), ("2019-01 –", "2021-05"), ("01.2019 –", "05.2021")])
def test_a_narrow_column_breaks_a_range_of_numbers(ends: tuple[str, str]):
    body = ["#Experience", "**Data Engineer, Northwind Ltd", "Built a warehouse for reports", "and its tables"]
    dates = wide((ends[0], 40, 154), (ends[1], 40, 168), ("03/2016–", 40, 210), ("12/2018", 40, 224))
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    text = stack([*body[1:], "", "**Developer, Helix Labs Ltd", "Wrote the parser of the house"], 140, 154)
    profile = parse(draw(name, stack(HEAD, 40, 70), stack(body[:1], 40, 140), iter(dates), text))
    assert works(profile) == [
        ("Data Engineer", "Northwind Ltd", "2019-01", "2021-05"), ("Developer", "Helix Labs Ltd", "2016-03", "2018-12")
    ]  # fmt: skip


def test_a_range_may_be_broken_by_the_markup():
    body = """<h2>Experience</h2><div><div>Jan 2019 –<br>Present</div><b>Data Engineer</b><p>Northwind Ltd</p></div>
      <div><div>Mar 2016 –<br>Dec 2018</div><b>Developer</b><p>Helix Labs Ltd</p></div>"""
    assert works(web(body)) == [
        ("Data Engineer", "Northwind Ltd", "2019-01", PRESENT), ("Developer", "Helix Labs Ltd", "2016-03", "2018-12")
    ]  # fmt: skip


def test_a_name_goes_on_in_the_next_line_of_the_same_large_letters():
    assert name_of("Diego Ferreira", "Castro") == ("Diego Ferreira Castro",)
    assert name_of("Diego Ferreira da", "Costa") == ("Diego Ferreira da Costa",)
    assert name_of("DIEGO", "FERREIRA", "DA COSTA") == ("Diego Ferreira da Costa",)
    assert name_of("Ada Lovelace", "Data Engineer") == ("Ada Lovelace",)


def test_a_double_name_in_small_capitals_is_one_word():
    pieces = [("H", 24, 40.0), ("élène", 17, 52.0), ("D", 24, 102.0), ("ufour", 17, 114.0)]
    pieces += [("-L", 24, 156.5), ("acombe", 17, 180.5)]
    name = [word for text, size, left in pieces for word in write(text, left, 40 + (24 - size), size=size)]
    assert read(draw(iter(name)))[0] == "Hélène Dufour-Lacombe"


def test_the_last_word_of_a_sentence_is_no_part_of_an_address():
    for last in (["fear what is done with them."], ["fear them.", "", ""]):
        head = ["Engines for people who", *last, "ada.lovelace@mail.example"]
        assert said(page(*JOB, head=head).basics.email) == ("ada.lovelace@mail.example",)


def test_what_an_ampersand_joins_is_one_skill():
    assert skills(page(*JOB, "#Skills", "- HTML & CSS", "- Git", "- Redis")) == ["HTML & CSS", "Git", "Redis"]


def places(profile: Profile) -> list[tuple[str | None, ...]]:
    return [said(work.name, work.location) for work in profile.work]


def two_jobs(first: str, second: str) -> Profile:
    body = ["#Experience", "**Data Engineer", first, "2019 - 2021", "- Built a warehouse", ""]
    return page(*body, "**Developer", second, "2016 - 2018", "- Wrote a parser", "", *SCHOOL)


def test_a_place_in_brackets_is_no_part_of_the_employer():
    assert places(two_jobs("Northwind (London)", "Helix (Paris)")) == [("Northwind", "London"), ("Helix", "Paris")]
    assert places(two_jobs("Northwind (London)", "Helix (Errenteria)"))[1][0] == "Helix"


def test_a_full_stop_or_an_icon_is_no_part_of_a_place():
    assert places(two_jobs("Northwind, London.", "Helix Inc., Paris.")) == [
        ("Northwind", "London"), ("Helix Inc.", "Paris")
    ]  # fmt: skip
    assert places(two_jobs("Northwind | ⚑ London", "Helix | ⚑ Paris")) == [("Northwind", "London"), ("Helix", "Paris")]


def test_a_town_nobody_knows_stands_where_others_name_theirs():
    body = ["#Experience"]
    for number, (employer, town) in enumerate((("Prado", "Lisbon"), ("Ledbury", "London"), ("Mugaritz", "Errenteria"))):
        body += ["**Chef", f"{employer} | {town}", f"{2019 - 3 * number} - {2021 - 3 * number}", "- Ran the pass", ""]
    assert places(page(*body, *SCHOOL)) == [("Prado", "Lisbon"), ("Ledbury", "London"), ("Mugaritz", "Errenteria")]


def test_a_name_that_a_narrow_cell_broke_is_put_together():
    left = ["**Nanyang", "**Trading Ltd", "2019 - 2021", "", "**Grab", "2016 - 2018"]
    right = [
        "**Data Engineer",
        "- Built a warehouse for reports",
        "",
        "",
        "**Developer",
        "- Wrote a parser for reports",
    ]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), stack(left, 40, 160, step=13), stack(right, 180, 160, step=13)]
    profile = parse(draw(name, stack(HEAD, 40, 70), *rail))
    assert works(profile) == [
        ("Data Engineer", "Nanyang Trading Ltd", "2019", "2021"),
        ("Developer", "Grab", "2016", "2018"),
    ]


def test_dates_may_have_a_cell_before_the_name_that_takes_two_lines():
    dates = wide(("2019 - 2021", 40, 160), ("2016 - 2018", 40, 212))
    names = stack(["**Nanyang", "**Trading Ltd", "Singapore", "", "**Grab", "Singapore"], 120, 160, step=13)
    right = [
        "**Data Engineer",
        "- Built a warehouse for reports",
        "",
        "",
        "**Developer",
        "- Wrote a parser for reports",
    ]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), iter(dates), names, stack(right, 240, 160, step=13)]
    profile = parse(draw(name, stack(HEAD, 40, 70), *rail))
    assert works(profile) == [
        ("Data Engineer", "Nanyang Trading Ltd", "2019", "2021"),
        ("Developer", "Grab", "2016", "2018"),
    ]


def test_what_stands_above_two_headings_side_by_side_ends_what_came_before():
    left = ["**Northwind", "Leeds", "2019 - 2021", "", "**Helix", "York", "2016 - 2018", "", "#Education"]
    left += ["**University of Leeds", "BSc in Mathematics", "2012 - 2015"]
    long = "- Wrote and kept the reports of the whole house for three years"
    right = ["**Data Engineer", long, "", "", "**Developer", long]
    aside = ["#Skills", "Kubernetes, Terraform, Redis", "PostgreSQL, Kafka, Go"]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 130), stack(left, 40, 150), stack(right, 180, 150), stack(aside, 320, 262)]
    profile = parse(draw(name, stack(HEAD, 40, 70), *rail))
    assert works(profile) == [("Data Engineer", "Northwind", "2019", "2021"), ("Developer", "Helix", "2016", "2018")]


def test_home_is_a_word_for_where_somebody_lives():
    place = page(*JOB, head=["Home: London", *HEAD]).basics.location
    assert place is not None
    assert said(place.city) == ("London",)


@pytest.mark.parametrize("text", ["Diplôme d'ingénieur Agroalimentaire", "Diplôme d’ingénieur Agroalimentaire"])
def test_an_engineers_diploma_is_a_degree_by_its_whole_name(text: str):
    found = find_degree(text)
    assert found is not None
    assert (text[found.begin : found.end][-9:], found.level) == ("ingénieur", "master")


def segments(words: Iterable[Word]) -> tuple[Segment, ...]:
    return tuple(find_segments(words))


def test_one_bold_name_beside_its_town_is_no_table():
    left, right = segments(write("Helix", 40, 140, bold=True)), segments(write("Exmouthing", 475, 140))
    assert judge(River(475, left, right)) is not Verdict.ROWS


def test_labels_without_white_between_them_begin_with_what_is_set_like_the_first():
    left = ["**Northwind", "2019 - 2021", "**Helix", "2016 - 2018", "**Prado", "2013 - 2015"]
    right = ["**Data Engineer", "", "**Developer", "", "**Analyst"]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), stack(left, 40, 160), stack(right, 240, 160)]
    assert works(parse(draw(name, stack(HEAD, 40, 70), *rail))) == [
        ("Data Engineer", "Northwind", "2019", "2021"), ("Developer", "Helix", "2016", "2018"),
        ("Analyst", "Prado", "2013", "2015"),
    ]  # fmt: skip


def test_a_range_may_be_broken_in_its_cell_beside_a_name():
    cells = wide(("Jan 2019 - May", 40, 160), ("Northwind", 130, 160), ("2021", 40, 173), ("Leeds", 130, 173))
    assert len(group_labels(segments(cells))) == 1


def test_start_and_end_may_stand_under_each_other_without_a_dash():
    text = [
        "**Data Engineer",
        "Northwind Ltd",
        "- Built a warehouse",
        "",
        "**Developer",
        "Helix Labs Ltd",
        "- Wrote it",
    ]
    dates = wide(("Jan 2019", 40, 160), ("Present", 40, 174), ("Mar 2016", 40, 216), ("Dec 2018", 40, 230))
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), iter(dates), stack(text, 140, 160)]
    jobs = [
        ("Data Engineer", "Northwind Ltd", "2019-01", PRESENT), ("Developer", "Helix Labs Ltd", "2016-03", "2018-12")
    ]  # fmt: skip
    assert works(parse(draw(name, stack(HEAD, 40, 70), *rail))) == jobs
    body = """<h2>Experience</h2><div><div>Jan 2019<br>Present</div><b>Data Engineer</b><p>Northwind Ltd</p></div>
      <div><div>Mar 2016<br>Dec 2018</div><b>Developer</b><p>Helix Labs Ltd</p></div>"""
    assert works(web(body)) == jobs


def test_dates_in_a_list_are_no_ranges():
    lines = make_lines(segments(wide(("2011", 40, 140), ("2013", 40, 154), ("2015", 40, 168))))
    assert [line.text for line in lines] == ["2011", "2013", "2015"]
    assert not is_pair("2019", "2016")


@pytest.mark.parametrize("date", ["2021", "Jun 2021", "15.06.2021"])
def test_the_same_date_twice_is_no_range_and_no_error(date: str):
    """Two awards of one year, one below the other: comparing their dates ended the whole document with an error."""
    assert not is_pair(date, date)
    body = stack([*JOB, "", "#Awards", "Employee of the Year", date, date, "Merit Scholarship"], 40, 140)
    profile = parse(draw(write("Ada Lovelace", 40, 30, size=22, bold=True), stack(HEAD, 40, 70), body))
    assert said(profile.basics.name) == ("Ada Lovelace",)


def test_a_year_and_a_month_of_it_may_be_start_and_end():
    assert is_pair("2021", "Jun 2021")
    assert is_pair("Jun 2021", "2021")
    assert not is_pair("Jun 2021", "May 2021")


def test_what_somebody_is_may_follow_a_name_in_smaller_letters():
    head = [write("Ada Lovelace", 40, 30, size=22, bold=True), write("Data Engineer", 180, 36, size=14, color=0x888888)]
    assert said(parse(draw(*head, stack(HEAD, 40, 70), stack(JOB, 40, 140))).basics.name) == ("Ada Lovelace",)


def test_a_hash_parts_skills():
    listed = ["#Skills", "#Menu design #C# #Food cost control"]
    assert skills(page(*JOB, listed[0], "Tagged: " + listed[1])) == ["Menu design", "C#", "Food cost control"]


def test_pairs_of_dates_are_told_apart_without_white_between_them():
    dates = segments(wide(("Aug 2010", 40, 140), ("Dec 2013", 40, 154), ("Apr 2007", 40, 168), ("Mar 2010", 40, 182)))
    assert [[s.text for s in label] for label in group_labels(dates)] == [
        ["Aug 2010", "Dec 2013"], ["Apr 2007", "Mar 2010"]
    ]  # fmt: skip


def test_no_entry_begins_with_the_second_line_of_a_bold_name():
    school = ["#Education", "**Agrocampus Ouest", "2011 - 2014", "MSc in Biology", "**Lycée Olivier de", "**Serres"]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    body = stack([*JOB, *school, "2009 - 2011", "BSc in Food"], 40, 140, step=13)
    profile = parse(draw(name, stack(HEAD, 40, 70), body))
    assert [said(one.institution, one.start_date) for one in profile.education] == [
        ("Agrocampus Ouest", "2011"), ("Lycée Olivier de Serres", "2009")
    ]  # fmt: skip


def test_one_section_of_a_page_may_be_a_table_of_names_dates_and_list_items():
    left = ["**Northwind", "2019 - 2021", "", "**Helix", "2016 - 2018", "", "#Skills", "Kafka", "Redis", "Go"]
    right = ["**Data Engineer", "- Built a warehouse", "", "**Developer", "- Wrote a parser", "", "", "Bash", "Perl"]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), stack(left, 40, 160), stack(right, 240, 160)]
    lines = read(draw(name, stack(HEAD, 40, 70), *rail))
    assert not [line for line in lines if "Northwind" in line and "Engineer" in line]


def test_a_broken_name_is_put_together_in_a_cell_that_is_set_flush_right_too():
    left = ["Tan Trading Pte", "Ltd", "2019 - 2021", "", "Grab", "2016 - 2018"]
    right = [
        "**Data Engineer",
        "- Built a warehouse for reports",
        "",
        "",
        "**Developer",
        "- Wrote a parser for reports",
    ]
    words = [
        word
        for at, text in enumerate(left)
        for word in write(text, 130 - _wide(text, 10), 160 + 13 * at, bold=text[:1].isalpha())
    ]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    rail = [stack(["#Experience"], 40, 140), iter(words), stack(right, 180, 160, step=13)]
    assert works(parse(draw(name, stack(HEAD, 40, 70), *rail))) == [
        ("Data Engineer", "Tan Trading Pte Ltd", "2019", "2021"), ("Developer", "Grab", "2016", "2018")
    ]  # fmt: skip


def test_a_line_of_its_own_is_one_skill_although_its_words_are_known():
    assert skills(page(*JOB, "#Skills", "IFRS", "SAP S/4HANA", "Consolidation", "Budgeting")) == [
        "IFRS", "SAP S/4HANA", "Consolidation", "Budgeting"
    ]  # fmt: skip


def test_a_town_is_found_behind_an_address_of_a_site():
    place = page(*JOB, head=["ada.lovelace@mail.example linkedin.com/in/ada dribbble.com/ada London"]).basics.location
    assert place is not None
    assert said(place.city) == ("London",)


def test_what_follows_a_name_on_its_line_is_what_somebody_is():
    head = [write("Ada Lovelace", 40, 30, size=22, bold=True), write("Data Engineer", 180, 36, size=14, color=0x888888)]
    assert said(parse(draw(*head, stack(HEAD, 40, 70), stack(JOB, 40, 140))).basics.label) == ("Data Engineer",)


def test_what_stands_between_two_commas_is_one_skill():
    assert skills(page(*JOB, "#Skills", "IFRS, SAP S/4HANA, Consolidation, Budgeting")) == [
        "IFRS", "SAP S/4HANA", "Consolidation", "Budgeting"
    ]  # fmt: skip


def test_a_single_letter_stays_before_the_mark_behind_it():
    assert read(draw(write("From 2 % to 4 % in R & D", 40, 140))) == ["From 2 % to 4 % in R & D"]
    assert read(draw(write("S K I L L S", 40, 140))) == ["SKILLS"]


def test_dates_and_places_in_a_margin_belong_to_the_lines_they_stand_between():
    left = segments(
        stack(["**BSc in Mathematics", "University of Leeds", "", "**Diploma in Law", "Selby College"], 40, 140)
    )
    right = wide(("London", 460, 144), ("Aug 2010 - Dec", 460, 158), ("2013", 460, 172))
    right += wide(("Paris", 460, 190), ("2007 - 2010", 460, 204))
    assert judge(River(460, left, segments(right))) is Verdict.JOIN


@pytest.mark.parametrize("between", ["‑", " ‐ ", " › ", " » ", " -> ", " thru ", " ― ", " ⟶ ", "…"])
def test_many_marks_stand_between_start_and_end(between: str):
    assert [span.is_range for span in find_dates(f"Mar 2019{between}Feb 2021")] == [True]


def test_what_spans_the_second_page_comes_behind_both_columns_of_the_first():
    left, right, below = Frame(0, 200), Frame(200, 595), Frame(0, 595)
    text = segments(write("Told", 40, 140))
    pages = [[Leaf([*text], frame) for frame in frames] for frames in ((left, right), (left, below))]
    assert [leaf.frame for leaf in join_pages(pages, [595.0, 595.0])] == [left, left, right, below]


def test_half_an_address_may_stand_behind_its_label():
    assert said(page(*JOB, head=["E-mail ada.", "lovelace@mail.example"]).basics.email) == (
        "ada.lovelace@mail.example",
    )


def test_two_tags_on_a_line_are_two_skills():
    tags = [("Redis", "Kafka"), ("Figma", "Sketch"), ("Terraform", "Git"), ("PostgreSQL", "Go")]
    words = [word for at, pair in enumerate(tags) for word in wide((pair[0], 40, 240 + 14 * at))]
    words += [word for at, (one, two) in enumerate(tags) for word in wide((two, 46 + 5 * len(one), 240 + 14 * at))]
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    body = [stack(HEAD, 40, 70), stack(JOB, 40, 130), stack(["#Skills"], 40, 220), iter(words)]
    assert sorted(skills(parse(draw(name, *body)))) == sorted(word for pair in tags for word in pair)


def test_what_somebody_is_may_begin_behind_the_name_and_go_on_below():
    name = write("Vikram Kulkarni", 40, 30, size=24)
    head = [*name, *write("Senior", 260, 34, size=19), *write("Software Engineer", 40, 60, size=19)]
    profile = parse(draw(iter(head), stack(["vikram.kulkarni@mail.example"], 40, 120), stack(JOB, 40, 160)))
    assert said(profile.basics.name, profile.basics.label) == ("Vikram Kulkarni", "Senior Software Engineer")


def test_dates_of_different_precision_in_one_entry_are_no_error():
    rows = [Row(make_lines(segments(wide((text, 40, 140))))[0], column=0) for text in ("2021", "June 2021")]
    assert said(*make_dates([(row, row.spans[0]) for row in rows])) == ("2021", "2021-06")


def test_a_year_right_behind_a_name_is_no_part_of_it_where_an_element_begins():
    body = """<h2>Experience</h2><h3>Northwind Ltd<span class="when">2019 - 2021</span></h3><b>Data Engineer</b>
      <h3>Helix Labs Ltd<span class="when">2016 - 2018</span></h3><b>Developer</b>"""
    assert works(web(body)) == [
        ("Data Engineer", "Northwind Ltd", "2019", "2021"), ("Developer", "Helix Labs Ltd", "2016", "2018")
    ]  # fmt: skip


def test_a_school_may_stand_behind_at_on_a_line_of_its_own():
    body = """<h2>Education</h2>
      <div><div>PhD in Physics</div><div>at King's College London</div><div>2004 - 2008</div></div>
      <div><div>MSc in Physics</div><div>at University of Edinburgh</div><div>2000 - 2003</div></div>"""
    schools = [said(one.institution, one.study_type) for one in web(body).education]
    assert schools == [("King's College London", "PhD"), ("University of Edinburgh", "MSc")]
