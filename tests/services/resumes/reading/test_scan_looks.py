"""What a scan loses is told again by its ink and its surroundings: sizes, weights, lines, marks between contacts."""

from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from dibs.services.resumes.document import Box, Page, Word
from dibs.services.resumes.reading.scan.contacts import mend_contacts
from dibs.services.resumes.reading.scan.levelling import level_words
from dibs.services.resumes.reading.scan.misread import drop_borders, mend_letters
from dibs.services.resumes.reading.scan.recogniser import SeenWord
from dibs.services.resumes.reading.scan.sizes import even_sizes

numpy = pytest.importorskip("numpy")
looks = pytest.importorskip("dibs.services.resumes.reading.scan.looks")
narrowing = pytest.importorskip("dibs.services.resumes.reading.scan.narrowing")

PLAIN = ("Worked closely with partners", "Trained seven new colleagues", "Reduced processing time")


def draw_lines(*lines: tuple[str, int], paper: int = 255, ink: int = 0, size: int = 36):
    """Draw lines, each with how much thicker its strokes are; give the picture and the words where they stand."""
    picture = Image.new("L", (1200, 80 * len(lines) + 80), paper)
    pen, font, words = ImageDraw.Draw(picture), ImageFont.load_default(size=size), []
    for row, (text, more) in enumerate(lines):
        left = 60.0
        for word in text.split():
            at = (left, 40 + 80 * row)
            pen.text(at, word, fill=ink, font=font, stroke_width=more, stroke_fill=ink)
            box = pen.textbbox(at, word, font=font, stroke_width=more)
            words.append(SeenWord(word, *box, size, 0.9))
            left = box[2] + size / 3
    return numpy.asarray(picture).astype("float32"), words


def bold_texts(grey, words) -> str:
    return " ".join(word.text for word in looks.tell_looks(grey, words) if word.bold)


@pytest.mark.parametrize(("paper", "ink"), [(255, 0), (240, 70), (40, 250)])
def test_words_with_thicker_strokes_are_bold_on_light_and_on_dark_ground(paper, ink):
    lines = [(text, 0) for text in PLAIN]
    grey, words = draw_lines(("Professional Experience", 1), *lines, ("Head of Sales", 1), paper=paper, ink=ink)
    assert bold_texts(grey, words) == "Professional Experience Head of Sales"


def test_a_page_in_one_weight_has_nothing_bold():
    grey, words = draw_lines(*((text, 0) for text in PLAIN))
    assert bold_texts(grey, words) == ""


def test_the_size_of_a_line_is_measured_and_not_what_the_recogniser_says():
    grey, words = draw_lines(*((text, 0) for text in PLAIN))
    wrong = [word._replace(size=36 * (1.4 if word.top > 100 else 0.8)) for word in words]
    sizes = {word.size for word in looks.tell_looks(grey, wrong)}
    assert max(sizes) < 1.1 * min(sizes)


def make_page(number: int, *sizes: float) -> Page:
    words = tuple(
        Word("running", Box(number, 0, 20.0 * row, 50, 20.0 * row + 10), size=size) for row, size in enumerate(sizes)
    )
    return Page(number, 595, 842, words, scanned=True)


def test_sizes_that_vary_a_little_over_the_pages_are_one_and_headings_keep_theirs():
    pages = even_sizes([make_page(1, 13.0, 10.0, 10.0, 9.4, 10.6), make_page(2, 10.2, 13.4, 10.0)])
    assert [[word.size for word in page.words] for page in pages] == [[13.4, 10, 10, 10, 10], [10, 13.4, 10]]


def test_words_of_one_line_stand_on_it_and_are_as_high_whatever_their_letters():
    words = [SeenWord("on", 0, 14, 20, 25, 20, 0.9), SeenWord("by", 26, 10, 46, 29, 20, 0.9)]
    first, second = level_words(words)
    assert (first.top, first.bottom) == pytest.approx((second.top, second.bottom), abs=0.3)
    assert first.bottom - first.top == pytest.approx(20)


def test_a_line_below_is_not_drawn_to_the_one_above():
    words = [SeenWord("on", 0, 14, 20, 25, 20, 0.9), SeenWord("on", 0, 44, 20, 55, 20, 0.9)]
    first, second = level_words(words)
    assert second.top - first.top == pytest.approx(30)


def make_line(text: str, *, gaps: dict[int, float] | None = None) -> list[SeenWord]:
    """Give the words of a line ten pixels high; `gaps` is the white before some of them."""
    words, left = [], 0.0
    for at, part in enumerate(text.split()):
        left += (gaps or {}).get(at, 3.0)
        words.append(SeenWord(part, left, 0, left + 6 * len(part), 10, 10, 0.9))
        left = words[-1].right
    return words


def texts(words: list[SeenWord]) -> str:
    return " ".join(word.text for word in words)


def test_signs_between_contacts_are_marks():
    line = make_line("jo@mail.example - 514 555-0114 : 173, rue Haute, Lyon - linkedin.com/in/jo-roe")
    assert (
        texts(mend_contacts(line)) == "jo@mail.example • 514 555-0114 • 173, rue Haute, Lyon • linkedin.com/in/jo-roe"
    )


def test_icons_before_every_contact_of_a_line_are_marks():
    line = make_line("& jo@mail.example @% (604) 555-0169 4 7 Queen Street", gaps={2: 15.0, 5: 15.0})
    assert texts(mend_contacts(line)) == "• jo@mail.example • (604) 555-0169 • 7 Queen Street"


@pytest.mark.parametrize("text", ["M.Sc. - Physics", "Leeds - 2019 - 2021", "MSc : Physics at Leeds.ac"])
def test_lines_without_an_address_keep_their_dashes(text):
    assert texts(mend_contacts(make_line(text))) == text


def test_the_number_of_a_house_is_no_icon():
    line = make_line("jo@mail.example 7 Queen Street", gaps={1: 15.0})
    assert texts(mend_contacts(line)) == "jo@mail.example 7 Queen Street"


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        ("2O19", "2019"),
        ("l2/20I9", "12/2019"),
        ("APls", "APIs"),
        ("Cl/CD", "CI/CD"),
        ("2019|2020", "2019|2020"),
        ("Bill", "Bill"),
        ("Al", "Al"),
        ("SQL", "SQL"),
        ("10", "10"),
    ],
)
def test_letters_are_mended_among_digits_and_capitals_only(seen, meant):
    assert mend_letters(SeenWord(seen, 0, 0, 9, 9, 9, 0.9)).text == meant


def test_frames_around_words_are_bars_between_them():
    assert texts(drop_borders(make_line("(Microsoft Teams } {Moodle ) { Typography"))).split("|") == [
        "",
        " Microsoft Teams ",
        " ",
        " Moodle ",
        " ",
        " Typography",
    ]


def test_round_brackets_alone_are_left():
    line = make_line("English (native), French (B2)")
    assert drop_borders(line) == line


@pytest.mark.parametrize(("height", "share"), [(40, 40 / 48), (30, 30 / 48), (60, 1.0), (20, narrowing.NARROWEST)])
def test_lines_are_left_as_wide_as_they_are_within_bounds(height, share):
    line = numpy.full((height, height * 10, 3), 255, "uint8")
    assert narrowing.fit_line(line, 20.0).shape == (3, 48, int(48 * 20 * share))
    assert narrowing.fit_line(line, 20.0, narrowest=1.0).shape == (3, 48, 48 * 20)


@dataclass
class Asked:
    img: list[str]


@dataclass
class Found:
    txts: tuple[str, ...]
    scores: tuple[float, ...]
    word_results: tuple[str, ...]


class WideReader:
    """Reads one line badly unless it is given in full, and another badly in any case."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.resize_norm_img: Any = None

    def __call__(self, asked: Asked) -> Found:
        self.asked.append(asked.img)
        line = numpy.zeros((24, 240, 3), "uint8")
        wide = self.resize_norm_img(line, 10.0).shape[2] == 480
        read = {"clear": ("clear", 0.99), "narrow": ("narrow", 0.98) if wide else ("nrow", 0.6), "smudge": ("x", 0.4)}
        if wide:
            read["smudge"] = ("y", 0.3)
        texts, scores = zip(*(read[line] for line in asked.img), strict=True)
        return Found(texts, scores, texts)


def test_lines_that_were_read_badly_are_read_again_in_full_and_kept_if_better():
    reader = WideReader()
    found = narrowing.PatientReader(reader)(Asked(["clear", "narrow", "smudge"]))
    assert found == Found(("clear", "narrow", "x"), (0.99, 0.98, 0.4), ("clear", "narrow", "x"))
    assert reader.asked == [["clear", "narrow", "smudge"], ["narrow", "smudge"]]


def test_lines_that_were_read_well_are_read_once():
    reader = WideReader()
    assert narrowing.PatientReader(reader)(Asked(["clear"])).txts == ("clear",)
    assert len(reader.asked) == 1
