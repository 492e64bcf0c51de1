from dibs.services.resumes.document import Box, Shape
from tests.services.resumes.understanding.drawing import draw, list_bullets, read, stack, write

MAIN = [
    "#Experience",
    "**Data Engineer",
    "Northwind Ltd",
    "2019 - 2021",
    "- Built a warehouse for reports",
    "- Cut costs by a third",
]
SIDE = ["#Skills", "Python", "SQL", "", "#Languages", "English", "German", "Yoruba"]


def test_two_columns_are_read_one_after_the_other():
    page = draw(stack(SIDE, 40, 60, step=15), stack(MAIN, 220, 64, step=13))
    lines = read(page)
    assert lines.index("Yoruba") < lines.index("EXPERIENCE")
    assert lines[:7] == ["SKILLS", "Python", "SQL", "LANGUAGES", "English", "German", "Yoruba"]
    assert lines[7:11] == ["EXPERIENCE", "Data Engineer", "Northwind Ltd", "2019 - 2021"]
    assert lines[11:] == ["Built a warehouse for reports", "Cut costs by a third"]


def test_what_spans_the_page_is_read_before_the_columns_below_it():
    head = write("Ada Lovelace Byron King of the analytical engines in London", 40, 30, size=18)
    lines = read(draw(head, stack(SIDE, 40, 80, step=15), stack(MAIN, 220, 84, step=13)))
    assert lines[0].startswith("Ada Lovelace")
    assert lines[1] == "SKILLS"


def test_dates_on_the_right_stay_on_the_line_of_their_title():
    words = [
        *stack(
            ["#Work", "**Data Engineer", "Short text", "**Developer", "Short text", "**Intern", "Short text"], 40, 60
        ),
        *write("2019 - 2021", 480, 74),
        *write("2016 - 2019", 480, 102),
        *write("2015 - 2016", 480, 130),
    ]
    assert read(draw(iter(words))) == [
        "WORK", "Data Engineer 2019 - 2021", "Short text", "Developer 2016 - 2019", "Short text", "Intern 2015 - 2016",
        "Short text",
    ]  # fmt: skip


def test_a_label_in_the_margin_is_read_before_the_text_beside_it():
    labels = [*write("EXPERIENCE", 40, 60, bold=True), *write("EDUCATION", 40, 116, bold=True)]
    labels += write("SKILLS", 40, 158, bold=True)
    text = stack(
        ["Engineer at Northwind", "2019 - 2021", "Some text of some length", "", "BSc Physics", "Leeds", "", "Python"],
        180,
        60,
    )
    assert read(draw(iter(labels), text)) == [
        "EXPERIENCE", "Engineer at Northwind", "2019 - 2021", "Some text of some length", "EDUCATION", "BSc Physics",
        "Leeds", "SKILLS", "Python",
    ]  # fmt: skip


def test_dates_in_the_margin_are_read_before_the_entries_beside_them():
    dates = [*write("2019 - 2021", 40, 60), *write("2016 - 2019", 40, 102)]
    text = stack(["Engineer", "Northwind", "", "Developer", "Helix"], 180, 60)
    assert read(draw(iter(dates), text)) == [
        "2019 - 2021",
        "Engineer",
        "Northwind",
        "2016 - 2019",
        "Developer",
        "Helix",
    ]


def test_a_column_goes_on_with_its_own_on_the_next_page():
    first = draw(stack(SIDE, 40, 60, step=15), stack(MAIN, 220, 64, step=13))
    more = ["Swahili", "Latin", "Welsh"]
    second = draw(
        stack(more, 40, 60, page=2, step=15),
        stack(["- Wrote a book about it", "- Sang in a choir", "- Left"], 220, 64, page=2),
        number=2,
    )
    lines = read(first, second)
    assert lines.index("Swahili") == lines.index("Yoruba") + 1
    assert lines.index("Wrote a book about it") == lines.index("Cut costs by a third") + 1


def test_page_numbers_and_repeated_names_are_left_out():
    pages = [
        draw(
            write("Ada Lovelace", 40, 20, page=n),
            write(f"Text of page {n}", 40, 200, page=n),
            write(f"Page {n} of 2", 270, 820, page=n),
            number=n,
        )
        for n in (1, 2)
    ]
    assert read(*pages) == ["Ada Lovelace", "Text of page 1", "Text of page 2"]


def test_a_panel_behind_a_sidebar_parts_it_from_the_text():
    side = Shape(Box(1, 0, 0, 200, 842), 0x203040)
    page = draw(stack(["Contact me", "Anna"], 20, 60), stack(["Profile of a person", "Text"], 230, 60), shapes=[side])
    assert read(page) == ["Contact me", "Anna", "Profile of a person", "Text"]


def test_marks_that_were_drawn_make_list_items():
    dots = [Shape(Box(1, 50, 64 + 14 * n, 53.5, 67.5 + 14 * n), 0) for n in range(3)]
    page = draw(stack(["First item of it", "Second item", "Third"], 62, 60), shapes=dots)
    assert list_bullets(page) == [True, True, True]


def test_letters_that_were_set_apart_are_one_word():
    assert read(draw(write("E X P E R I E N C E", 40, 60))) == ["EXPERIENCE"]


def test_a_range_that_a_narrow_cell_broke_is_one_again():
    words = [*write("Controller, Klinikum", 40, 60), *write("Feb. 2022 – Sept.", 170, 60)]
    words += [*write("Hamburg", 40, 74), *write("2022", 170, 74)]
    assert read(draw(iter(words))) == ["Controller, Klinikum Hamburg Feb. 2022 – Sept. 2022"]


def test_a_grid_of_cards_is_read_card_by_card():
    left = stack(["**University of Leeds", "2011 - 2013", "Master of Science"], 40, 80)
    right = stack(["**University of Lagos", "2007 - 2011", "Bachelor of Science"], 320, 80)
    assert read(draw(stack(["#Education"], 40, 60), left, right)) == [
        "EDUCATION", "University of Leeds", "2011 - 2013", "Master of Science", "University of Lagos", "2007 - 2011",
        "Bachelor of Science",
    ]  # fmt: skip
