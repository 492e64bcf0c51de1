"""Names as people set them: in two sizes, in small letters, beside contacts, with more around them."""

import pytest

from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write

MAIL = ["ada.byron@mail.example", "+44 20 7946 0018"]
JOB = ["#Experience", "**Data Engineer", "Northwind Ltd", "2019 - 2021", "- Built the pipeline that counts everything"]


def find_name(*head, below=120):
    """Read a page with some lines at its head, each as text, left, top and looks."""
    lines = [write(text, left, top, **looks) for text, left, top, looks in head]
    return said(parse(draw(*lines, stack([*MAIL, "", *JOB], 40, below))).basics.name)


@pytest.mark.parametrize(
    "line",
    [
        "Ada Byron",
        "ADA BYRON",
        "ada byron",
        "Ada Byron, PhD",
        "Ada Byron Ph.D.",
        "Dr. Ada Byron, M.Sc., CFA",
        "Ada Byron (she/her)",
        "BYRON, Ada",
        "Lebenslauf Ada Byron",
        "Hi, I'm Ada Byron!",
        "Hallo, ich bin Ada Byron",
    ],
)
def test_a_name_is_found_without_what_stands_around_it(line):
    assert find_name((line, 40, 40, {"size": 24})) == ("Ada Byron",)


def test_small_letters_in_the_size_of_text_are_no_name():
    assert find_name(("plain words", 40, 40, {"size": 12})) == (None,)


def test_a_given_name_may_be_set_smaller_than_the_one_of_the_family():
    name = ("Ada", 40, 30, {"size": 16}), ("Byron", 40, 52, {"size": 32, "bold": True})
    assert find_name(*name) == ("Ada Byron",)


def test_small_words_beside_a_large_name_are_no_part_of_it():
    assert find_name(("Hill Street", 40, 52, {}), ("Ada Byron", 96, 30, {"size": 30})) == ("Ada Byron",)


def test_a_name_in_two_lines_is_whole_also_where_contacts_stand_beside_it():
    contacts = [(text, 40, 30 + 12 * at, {"size": 9}) for at, text in enumerate([*MAIL, "Leeds", "Hill Street 4"])]
    name = ("Ada", 200, 30, {"size": 28, "bold": True}), ("Byron", 200, 64, {"size": 28})
    assert find_name(*contacts, *name) == ("Ada Byron",)


def test_headings_side_by_side_are_no_name():
    heads = ("Contact", 40, 40, {"size": 16, "bold": True}), ("Skills", 104, 40, {"size": 16, "bold": True})
    assert find_name(*heads) == (None,)
