"""Contacts where no link says them whole: what stands beside a number, and where a narrow column broke an address."""

from time import process_time

import pytest

from dibs.services.resumes.document import Line, Word
from dibs.services.resumes.understanding.layout.lines import bound
from dibs.services.resumes.understanding.person.mending import join_broken
from dibs.services.resumes.understanding.sections.rows import Row
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_habits import JOB

NAME = "Ada Lovelace"


def make_line(words: list[Word]) -> Line:
    return Line(tuple(words), bound(words))


def with_contacts(*lines: str):
    """Read a page whose narrow left column holds these lines."""
    name = write(NAME, 200, 30, size=22, bold=True)
    return parse(draw(name, stack(["#Contact", *lines], 40, 70), stack(JOB, 260, 70))).basics


@pytest.mark.parametrize(
    ("above", "below", "whole"),
    [
        ("hanspeterbergmann@post.exam", "ple.net", "hanspeterbergmann@post.example.net"),
        ("sabinelindemann@mail.at.exa", "mple", "sabinelindemann@mail.at.example"),
        ("escobar.nuria@example.co", "m", "escobar.nuria@example.com"),
    ],
)
def test_an_address_that_ends_with_no_ending_goes_on_below(above: str, below: str, whole: str):
    assert said(with_contacts(above, below, "London").email) == (whole,)


def test_an_address_may_be_broken_twice():
    contacts = with_contacts("theodora.papadopo", "ulou.katsaros@mai", "l.example.com", "Athens")
    assert said(contacts.email) == ("theodora.papadopoulou.katsaros@mail.example.com",)


def test_an_address_behind_a_picture_that_touches_it_goes_on_below():
    contacts = with_contacts("⚭linkedin.com/in/theodorapapado", "poulou", "Athens")
    assert said(contacts.profiles[0].url) == ("https://linkedin.com/in/theodorapapadopoulou",)


def test_a_column_ends_where_its_own_lines_end_though_others_stand_beside_them():
    lines = ("tobias.pfeiffer@post.examp", 40, 40), ("le.net", 78, 52), ("Marketing Manager at large", 220, 64)
    rows = [Row(make_line(list(write(text, left, top, size=9)))) for text, left, top in lines]
    assert [piece.text for piece in join_broken(rows)] == [
        "tobias.pfeiffer@post.example.net",
        "Marketing Manager at large",
    ]


def test_thousands_of_lines_that_may_be_broken_take_no_longer_each():
    lines = ((f"some.long.address/part{number}", 40, 40 + 12 * number) for number in range(6_000))
    rows = [Row(make_line(list(write(text, left, top)))) for text, left, top in lines]
    began = process_time()
    assert len(list(join_broken(rows))) > 1
    assert process_time() - began < 5


def test_a_town_that_is_pushed_to_the_right_is_no_part_of_the_address_below_it():
    lines = ("wei.wang.amsterdam@inbox.example", 40, 40), ("Amsterdam", 155, 52), ("weiwang.example.dev", 105, 64)
    rows = [Row(make_line(list(write(text, left, top)))) for text, left, top in lines]
    assert [piece.text for piece in join_broken(rows)] == [text for text, _, _ in lines]


@pytest.mark.parametrize(
    "address", ["ada.lovelace.mail@example.com", "ada.lovelace@studio.berlin", "ada@example.co.uk"]
)
@pytest.mark.parametrize("below", ["london", "lovelace.de"])
def test_an_address_with_an_ending_is_whole(address: str, below: str):
    assert said(with_contacts(address, below).email) == (address,)


def test_wide_white_parts_a_number_from_that_of_the_house_beside_it():
    line = [*write("(604) 555-0169", 40, 60), *write("7 Queen Street West, Vancouver", 130, 60)]
    page = draw(write(NAME, 40, 30, size=22, bold=True), iter(line), stack(JOB, 40, 120))
    assert said(parse(page).basics.phone) == ("(604) 555-0169",)


def test_a_number_may_have_wide_white_within_it():
    line = [*write("+44", 40, 60), *write("20 7946 0018", 68, 60)]
    page = draw(write(NAME, 40, 30, size=22, bold=True), iter(line), stack(JOB, 40, 120))
    assert said(parse(page).basics.phone) == ("+44 20 7946 0018",)
