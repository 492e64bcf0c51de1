"""Three rings: the same posting, the same role, the same text."""

import pytest

from dibs.apps.postings.identity import (
    SIMILAR,
    Ring,
    company_key,
    describe,
    find_ring,
    place_key,
    share_place,
    similarity,
    sketch,
    title_key,
)
from dibs.apps.postings.model import Place, Posting, Workplace

WORDS = " ".join(
    f"we build thing{number} for people who like part{number % 17} and sea{number % 5}" for number in range(60)
)


def face(external_id="1", title="Engineer", company="Acme", city="Berlin", text="", **more):
    places = (Place(name=city),) if city else ()
    return describe(
        more.pop("board", "acme"),
        Posting(external_id=external_id, title=title, company=company, places=places, text=text, **more),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sr. Software Engineer (m/f/d)", "Senior Software Engineer"),
        ("Software Engineer - Remote", "Software Engineer"),
        ("Backend Dev", "Back End Developer"),
        ("Entwickler:in (all genders)", "Entwickler"),
        ("Nurse [REF 12345]", "Nurse"),
        ("Engineer, Req #R-10422", "Engineer"),
        ("Ingénieur H/F", "Ingenieur"),
    ],
)
def test_two_ways_of_writing_a_title_are_one(one, other):
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Engineer I", "Engineer II"),
        ("Senior Engineer", "Engineer"),
        ("C++ Developer", "C# Developer"),
        ("Cook", "Baker"),
    ],
)
def test_titles_that_differ_stay_apart(one, other):
    assert title_key(one) != title_key(other)


def test_legal_forms_and_accents_leave_a_company():
    assert company_key("Héron, Inc.") == company_key("HERON GmbH") == "heron"
    assert company_key("The Group") == "the"
    assert company_key("Holding AG") == "holding ag"
    assert place_key("Berlin, Germany") == place_key("BERLIN")


def test_the_same_id_on_the_same_board_is_the_same_posting():
    assert find_ring(face("1", "Cook"), face("1", "Baker")) is Ring.POSTING
    assert find_ring(face("1", "Cook"), face("1", "Baker", board="other")) is None


def test_one_role_in_three_cities_is_one_role():
    cities = ["Berlin", "Hamburg", "Köln"]
    faces = [face(str(number), f"Engineer - {city}", city=city) for number, city in enumerate(cities)]
    assert {find_ring(faces[0], other) for other in faces[1:]} == {Ring.ROLE}
    assert not share_place(faces[0], faces[1])


def test_a_role_that_can_be_done_from_anywhere_shares_every_place():
    anywhere = face("2", workplace=Workplace.REMOTE)
    assert share_place(face("1", city="Lima"), anywhere)
    assert find_ring(face("1"), anywhere) is Ring.ROLE


def test_companies_of_one_alias_are_one():
    one = describe("a", Posting(external_id="1", title="Cook", company="Alphabet"), {"alphabet": "google"})
    other = describe("b", Posting(external_id="9", title="Cook", company="Google LLC"))
    assert find_ring(one, other) is Ring.ROLE


def test_a_copy_of_an_agency_is_known_by_its_text():
    copy = WORDS.replace("thing7 ", "gadget ")
    assert find_ring(face("1", text=WORDS), face("2", "Talent wanted", "Agency", text=copy)) is Ring.TEXT


def test_other_texts_are_not_similar():
    other = " ".join(f"unrelated sentence {number} about cooking dish{number * 7}" for number in range(80))
    assert similarity(sketch(WORDS), sketch(other)) < 0.2
    assert similarity(sketch(WORDS), sketch(WORDS)) == 1


def test_short_texts_are_never_similar():
    assert sketch("apply now") == b""
    assert similarity(b"", b"") == 0 < SIMILAR


def test_a_posting_without_a_company_is_no_role_of_anybody():
    assert find_ring(face("1", company=None), face("2", company=None)) is None


def test_a_sketch_never_changes_because_it_is_stored():
    assert sketch(WORDS).hex()[:16] == "8ff4a7b8cb64f97d"
