"""Tables of three cells: with lines around their cells, and without."""

from itertools import accumulate, pairwise
from time import process_time

import pytest

from dibs.services.resumes.document import Box, Shape
from dibs.services.resumes.understanding.layout.segments import find_segments
from dibs.services.resumes.understanding.layout.tables.drawn import find_tables
from dibs.services.resumes.understanding.normal.organisations import is_legal_form
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write

HEAD = ["ada@mail.example", "+44 20 7946 0018", "", "#Experience"]
WIDTHS = (110, 290, 120)
DONE = ["- Built the pipeline that counts all", "- Led a team of five"]
ROWS = (
    (["2019 - 2021"], ["**Data Engineer", *DONE], ["Northwind Ltd", "Leeds"]),
    (["March 2016 to", "May 2019"], ["**Analyst", "- Wrote it all"], ["City of Kingsbridge", "Council", "Leeds"]),
)


def rule(left, top, right, bottom):
    return Shape(Box(1, left, top, right, bottom), fill=0)


def draw_table(rows=ROWS, *, top=140.0, order=(0, 1, 2), ruled=True):
    """Draw rows of cells under a head, with lines around each cell where it is ruled."""
    words, shapes = [], []
    sides = [*accumulate((WIDTHS[at] for at in order), initial=40)]
    for row in rows:
        bottom = top + 14 * max(len(row[at]) for at in order) + 6
        for at, (left, right) in zip(order, pairwise(sides), strict=True):
            words.append(stack(row[at], left + 5, top + 3))
            shapes += [rule(left, top, left + 0.5, bottom), rule(left, top, right, top + 0.5)]
            shapes += [rule(right, top, right + 0.5, bottom), rule(left, bottom, right, bottom + 0.5)]
        top = bottom
    name = write("Ada Lovelace", 40, 30, size=22, bold=True)
    return draw(name, stack(HEAD, 40, 70), *words, shapes=shapes if ruled else ())


def list_work(page):
    return [said(one.position, one.name, one.start_date, one.end_date) for one in parse(page).work]


WORK = [
    ("Data Engineer", "Northwind Ltd", "2019", "2021"),
    ("Analyst", "City of Kingsbridge Council", "2016-03", "2019-05"),
]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0)])
def test_a_drawn_table_is_read_row_by_row_in_whatever_order_its_cells_stand(order):
    assert list_work(draw_table(order=order)) == WORK


def test_a_row_that_says_what_its_columns_hold_is_no_entry():
    heads = (["**Period"], ["**Position"], ["**Employer"])
    assert list_work(draw_table((heads, *ROWS))) == WORK


def test_what_is_done_in_a_drawn_table_belongs_to_its_row():
    first, second = parse(draw_table()).work
    assert said(*first.highlights) == ("Built the pipeline that counts all", "Led a team of five")
    assert said(*second.highlights) == ("Wrote it all",)


def test_an_employer_behind_the_text_is_read_with_its_dates_also_without_lines():
    assert list_work(draw_table(ruled=False)) == WORK


def test_a_table_without_dates_is_no_list_of_entries():
    page = draw_table(((["Python"], ["SQL"], ["Kafka"]), (["Redis"], ["Bash"], ["Excel"])))
    assert find_tables(page, find_segments(page.words)) == []
    dated = draw_table()
    assert [len(table.rows) for table in find_tables(dated, find_segments(dated.words))] == [len(ROWS)]


@pytest.mark.parametrize("text", ["GmbH", "AG", "Ltd.", "GmbH & Co. KG", "S.A.", "ltée", "inc."])
def test_a_legal_form_alone_is_known(text):
    assert is_legal_form(text)


@pytest.mark.parametrize("text", ["as", "Northwind GmbH", "Leeds", ""])
def test_other_words_are_no_legal_form(text):
    assert not is_legal_form(text)


def test_a_long_line_of_forms_that_can_be_read_in_two_ways_takes_no_time():
    began = process_time()
    assert not is_legal_form("SAS SARL " * 11 + "Base")
    assert is_legal_form("SAS SARL " * 11 + "SAS")
    assert process_time() - began < 1


def test_a_legal_form_on_a_line_of_its_own_ends_the_name_above_it():
    body = ["#Experience", "**Data Engineer", "Nordlicht Robotics", "GmbH", "2019 - 2021", "- Built the pipeline"]
    page = draw(write("Ada Lovelace", 40, 30, size=22, bold=True), stack(["ada@mail.example", "", *body], 40, 70))
    assert list_work(page) == [("Data Engineer", "Nordlicht Robotics GmbH", "2019", "2021")]
