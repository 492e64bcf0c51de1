"""Which lines name an entry: of several positions in one house, of tables, and between lines that only go on."""

from collections.abc import Iterator

from dibs.services.resumes.document import Word
from dibs.services.resumes.profile import Profile
from dibs.services.resumes.reading import read_document
from dibs.services.resumes.understanding import understand
from dibs.services.resumes.understanding.normal.degrees import find_degree
from dibs.services.resumes.understanding.normal.speech import find_languages
from tests.services.resumes.understanding.drawing import TODAY, draw, parse, read, said, stack, write


def head(*lines: str) -> Iterator[Word]:
    yield from write("Ada Lovelace", 40, 20, size=22, bold=True)
    yield from stack(lines or ["ada@mail.example", "Leeds"], 40, 52)


def works(profile: Profile) -> list[tuple[str | None, ...]]:
    return [said(work.position, work.name, work.start_date) for work in profile.work]


def read_page(body: str) -> Profile:
    page = f"<html><body><h1>Ada Lovelace</h1><p>ada@mail.example</p>{body}</body></html>"
    return understand(read_document(page.encode(), name="page.html"), today=TODAY)


def test_an_employer_over_several_positions_is_none_of_their_titles():
    rows = ["#Work", "**Lotus Pay", "Lead Product Designer", "2022 - 2024", "- Drew", "Product Designer", "2020 - 2022"]
    rows += ["- Tested", "Junior Designer", "2018 - 2020", "- Drew icons"]
    assert works(parse(draw(head(), stack(rows, 40, 100)))) == [
        ("Lead Product Designer", "Lotus Pay", "2022"),
        ("Product Designer", "Lotus Pay", "2020"),
        ("Junior Designer", "Lotus Pay", "2018"),
    ]


def entry(employer: str, place: str, title: str, dates: str) -> str:
    rows = f"<tr><td><b>{employer}</b></td><td>{place}</td></tr><tr><td>{title}</td><td>{dates}</td></tr>"
    return f"<table>{rows}</table><ul><li>Counted what came in, and what went out.</li></ul>"


def test_a_plain_row_of_a_table_does_not_begin_what_a_bold_one_has_begun():
    first = entry("Helix", "Leeds", "Data Engineer", "2019 - 2021")
    second = entry("Bluefin", "York", "Analyst", "2015 - 2019")
    profile = read_page(f"<h2>Work experience</h2>{first}{second}<h2>Skills</h2><p>Python, Kafka</p>")
    assert works(profile) == [("Data Engineer", "Helix", "2019"), ("Analyst", "Bluefin", "2015")]


def test_items_inside_an_item_do_not_touch():
    style = "section, .tags { display: flex }"
    tags = "<span>Python</span><span>Kafka</span><span>Chess</span>"
    page = f"<html><style>{style}</style><body><section><h2>Skills</h2><div class=tags>{tags}</div></section>"
    document = read_document(page.encode(), name="page.html")
    words = [word.text for block in document.blocks or () for line in block.lines for word in line.words]
    assert words == ["Skills", "Python", "Kafka", "Chess"]


def test_the_last_word_of_a_list_item_is_no_employer():
    rows = [
        "#Work",
        "**Northwind Ltd",
        "Senior Analyst (2021 - 2024)",
        "- Wrote contracts between six product",
        "Data Analyst (2018 - 2021)",
    ]
    words = [*stack(rows[:4], 40, 100), *write("teams.", 52, 156), *stack([*rows[4:], "- Drew"], 40, 174)]
    assert works(parse(draw(head(), iter(words)))) == [
        ("Senior Analyst", "Northwind Ltd", "2021"),
        ("Data Analyst", "Northwind Ltd", "2018"),
    ]


def test_a_sentence_that_names_a_year_tells_of_the_entry():
    rows = ["#Work", "**Analyst", "Northwind Ltd", "2019 - 2021", "Designed new heat pumps after the rules of 2000."]
    work = parse(draw(head(), stack(rows, 40, 100))).work[0]
    assert said(work.name, work.end_date, work.summary) == ("Northwind Ltd", "2021", rows[-1])


def test_a_full_stop_behind_the_place_makes_no_sentence_of_title_and_employer():
    words = list(stack(["#Work", "2019 - 2021"], 40, 100))
    words += write("Nurse of intensive care units,", 40, 128, bold=True)
    words += write("Northwind Clinic, Lyon.", 192, 128)
    work = parse(draw(head(), iter(words))).work[0]
    assert said(work.position, work.name, work.location) == (
        "Nurse of intensive care units",
        "Northwind Clinic",
        "Lyon",
    )


def test_honours_belong_to_the_degree():
    text = "BSc Honours in Computer Science"
    degree = find_degree(text)
    assert degree is not None
    assert text[degree.begin : degree.end] == "BSc Honours"


def test_a_bold_degree_with_honours_is_no_heading():
    rows = ["#Work", "**Analyst", "Northwind Ltd", "2019 - 2021", "#Education"]
    words = [
        *stack(rows, 40, 100),
        *write("BSc Honours in Physics", 40, 170, size=13, bold=True),
        *stack(["University of Leeds", "2011 - 2014"], 40, 190),
    ]
    profile = parse(draw(head(), iter(words)))
    assert [said(one.institution, one.area) for one in profile.education] == [("University of Leeds", "Physics")]
    assert profile.awards == ()


def test_the_word_between_degree_and_subject_is_part_of_neither():
    words = [*stack(["#Formation"], 40, 100), *write("Master", 40, 120, bold=True), *write("en Informatique", 75, 120)]
    words += stack(["Université de Lyon", "2014 - 2016"], 40, 134)
    assert said(parse(draw(head(), iter(words))).education[0].area) == ("Informatique",)


def test_a_subject_behind_en_is_no_part_of_the_school():
    rows = ["#Formation", "Master en Informatique, Université Grenoble Alpes (2014 - 2016)"]
    study = parse(draw(head(), stack(rows, 40, 100))).education[0]
    assert said(study.institution, study.area) == ("Université Grenoble Alpes", "Informatique")


def test_addresses_are_no_part_of_a_summary_that_has_no_heading():
    lines = [
        "Cheffe de produit et de projet",
        "linkedin.com/in/ada-lovelace",
        "ada.example",
        "Counts what ships carry and tells others about it.",
    ]
    summary = parse(
        draw(head(*lines), stack(["#Work", "**Analyst", "Northwind Ltd", "2019 - 2021"], 40, 140))
    ).basics.summary
    assert said(summary) == ("Counts what ships carry and tells others about it.",)


def test_a_summary_keeps_its_first_line_also_where_that_is_nouns():
    rows = [
        "#Profil",
        "Softwareentwicklerin mit Schwerpunkt",
        "auf verteilten Systemen und einer Schwäche für saubere Schnittstellen.",
    ]
    summary = parse(draw(head(), stack(rows, 40, 100))).basics.summary
    assert said(summary) == (" ".join(rows[1:]),)


def test_a_text_about_the_person_is_not_what_they_call_themselves():
    lines = ["Product designer who sketches, prototypes and tests with real people before anybody writes code."]
    assert parse(draw(head(*lines))).basics.label is None


def test_a_letter_before_a_town_stands_for_a_word():
    rows = ["#Contact", "E ada@mail.example", "T +44 20 7946 0958", "A Dresden, Germany"]
    place = parse(draw(head("Analyst"), stack(rows, 40, 100))).basics.location
    assert place is not None
    assert said(place.city) == ("Dresden",)


def test_a_town_may_stand_behind_what_somebody_is():
    place = parse(draw(head("Civil Engineer, Dresden", "ada@mail.example"))).basics.location
    assert place is not None
    assert said(place.city) == ("Dresden",)


def test_a_tilde_parts_contacts():
    place = parse(draw(head("ada@mail.example ~ +44 20 7946 0958 ~ Dresden, Germany"))).basics.location
    assert place is not None
    assert said(place.city) == ("Dresden",)


def test_languages_of_all_continents_are_known():
    assert [one.code for one in find_languages("Quechua, Kinyarwanda, birmanisch, māori, bielorruso")] == [
        "qu",
        "rw",
        "my",
        "mi",
        "be",
    ]


def test_white_between_columns_runs_on_beside_longer_lines():
    """The first line is longer than the others: below it, the white is wider and seems to be another."""
    left = ["#Profile", "A line that runs on for nearly the whole width of its column", "#Work"]
    left += [
        line for year in (2019, 2016, 2013) for line in ("**Analyst", "Northwind", f"{year} - {year + 3}", "- Drew")
    ]
    right = ["#Education", "**University of Leeds", "BSc in Physics", "2012 - 2015", "#Skills", *["Python, Kafka"] * 10]
    words = [*write("Curriculum", 240, 70), *write("vitae", 240, 84), *stack(left, 40, 110), *stack(right, 330, 110)]
    lines = read(draw(write("Ada Lovelace", 40, 20, size=22, bold=True), iter(words)))
    assert lines.index("University of Leeds") == lines.index("EDUCATION") + 1
