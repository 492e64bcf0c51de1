"""A few lines, read with the data for English, tell in which language a page is to be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from dibs.services.resumes.reading.pdf.pictures import render_page
from dibs.services.resumes.reading.scan.addresses import (
    group_lines,
    has_address,
    is_part_of_address,
    part_columns,
    put_addresses,
)
from dibs.services.resumes.reading.scan.mail import find_mail, put_mail
from dibs.services.resumes.reading.scan.marks import mend_marks
from dibs.services.resumes.reading.scan.recogniser import SeenWord
from dibs.services.resumes.reading.scan.tesseract import TesseractRecogniser, find_data, pick_lines
from dibs.services.resumes.reading.scan.tongues import choose_tongue, weigh_tongues
from tests.services.resumes.making import make_pdf, write

READ_AS_ENGLISH = {
    "eng": "° Responsible for Staff scheduling and a team of nine. Charge Nurse with 17 years of experience in Leeds",
    "deu": "¢ Verantwortlich fiir Verhandlungsfiihrung und Bilanzierung. Erstellung von Berichten fiir die Leitung",
    "fra": "Chef de projet avec 13 ans d'expérience dans le domaine. Rapports pour les équipes et le suivi",
    "spa": "¢ Reduccién de los plazos en un 18 % gracias a la gestion. Elaboracion y control para el area",
}


@pytest.mark.parametrize("code", READ_AS_ENGLISH)
def test_a_language_is_told_by_what_no_other_has(code):
    assert choose_tongue(weigh_tongues(READ_AS_ENGLISH[code])) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Python, SQL, Kubernetes, Docker, Account management, Controlling, Marketing, Engineering",
        "Stadtwerke Salzburg, Salzburg. Rheinwerk GmbH, Graz. Grafikdesigner, Artdirector",
        f"{READ_AS_ENGLISH['eng']} {READ_AS_ENGLISH['fra']}",
    ],
)
def test_names_of_things_and_two_languages_tell_nothing(text):
    assert choose_tongue(weigh_tongues(text)) is None


def test_a_language_without_data_of_ours_is_not_taken_for_one_that_has():
    text = "Gestão de projetos em uma empresa com os clientes do setor, da equipa e dos parceiros, na área das vendas"
    assert choose_tongue(weigh_tongues(text)) == "por"


def test_rules_and_frames_are_no_lines_to_read():
    text = [(100, top, 800, top + 26) for top in range(100, 400, 40)]
    assert pick_lines([*text, (50, 20, 1500, 36), (50, 500, 1500, 900)]) == text
    assert pick_lines([]) == []


class FakeEngine:
    """Reads one text everywhere, and notes what it was asked."""

    def __init__(self, name: str, text: str, log: list[str]) -> None:
        self.name, self.text, self.log = name, text, log

    def SetImageBytes(self, *_):  # noqa: N802 - the names are the library's
        pass

    def SetSourceResolution(self, *_):  # noqa: N802
        pass

    def SetPageSegMode(self, mode):  # noqa: N802
        self.log.append(f"{self.name} {mode}")

    def AnalyseLayout(self):  # noqa: N802
        return [FakePlace()]

    def GetUTF8Text(self) -> str:  # noqa: N802
        return self.text

    def Recognize(self) -> bool:  # noqa: N802
        self.log.append(f"{self.name} reads")
        return False

    def Clear(self):  # noqa: N802
        pass


class FakePlace:
    """A line of some text."""

    def BoundingBox(self, _):  # noqa: N802
        return (10, 10, 90, 20)


def read_with_fakes(monkeypatch, text: str) -> list[str]:
    tesserocr = pytest.importorskip("tesserocr")
    log: list[str] = []
    monkeypatch.setattr(tesserocr, "PyTessBaseAPI", lambda *, lang, **_: FakeEngine(lang, text, log))
    monkeypatch.setattr(tesserocr, "iterate_level", lambda places, _: places)
    monkeypatch.setattr("pathlib.Path.is_file", lambda _: True)
    TesseractRecogniser(Path("data")).see(Image.new("RGB", (200, 100), "white"))
    return log


def test_a_page_is_read_in_the_language_of_its_lines_and_in_all_where_they_do_not_tell(monkeypatch):
    modes = pytest.importorskip("tesserocr").PSM
    looked = [f"eng {modes.SINGLE_LINE}", f"eng {modes.AUTO}"]
    assert read_with_fakes(monkeypatch, READ_AS_ENGLISH["deu"]) == [*looked, "deu reads"]
    assert read_with_fakes(monkeypatch, READ_AS_ENGLISH["eng"]) == [*looked, "eng reads"]
    assert read_with_fakes(monkeypatch, "Python, SQL") == [*looked, "eng+deu+fra+spa reads"]
    assert read_with_fakes(monkeypatch, "os em com do da dos") == [*looked, "eng+deu+fra+spa reads"]


@pytest.mark.system
def test_german_letters_are_read_where_the_data_for_german_is():
    lines = ("Verantwortlich für die Prüfung und Führung", "der Bücher sowie die Pflege von Verträgen")
    picture, _ = render_page(
        make_pdf(lambda paper: [write(paper, line, 100 + 20 * n) for n, line in enumerate(lines)]), 1
    )
    data = find_data()
    assert data is not None
    seen = TesseractRecogniser(data).see(picture)
    assert " ".join(word.text for word in seen.words) == " ".join(lines)


def seen(text: str, left: float, top: float = 0.0, *, width: float | None = None) -> SeenWord:
    return SeenWord(text, left, top, left + (10.0 * len(text) if width is None else width), top + 20, 12.0, 0.9)


def test_addresses_of_a_second_reading_take_the_place_of_what_was_read_there():
    line = [seen("Köln", 0), seen("adaOmail", 50), seen("example.org", 140), seen("|", 260), seen("León", 280)]
    again = [seen("Koln", 0), seen("ada@mail.example.org", 50), seen("|", 260), seen("Leén", 280)]
    assert [word.text for word in put_addresses(line, again)] == ["Köln", "ada@mail.example.org", "|", "León"]
    assert put_addresses(line, [seen("Koln", 0)]) == line


@pytest.mark.parametrize(
    ("read", "again", "given"),
    [
        (["E-Mail:", "ada-king@mail.example"], ["ada.king@mail.example"], ["E-Mail:", "ada.king@mail.example"]),
        (["ada.", "king@mail.example", "London"], ["ada.", "king@mail.example."], ["ada.king@mail.example", "London"]),
        (["ada.king@mail.example"], ["ada.kingQmail.example"], ["ada.king@mail.example"]),
        (["ada.king@mail.example"], ["1ada.king@mail.example"], ["ada.king@mail.example"]),
        (["ada-king@mail."], ["ada.king@mail."], ["ada-king@mail."]),
        (["ada-king@mail.ng."], ["ada.king@mail.ng."], ["ada.king@mail.ng."]),
        (["ada.king@mail.example"], ["bob@mail.example"], ["ada.king@mail.example"]),
        (["ada.king@mail.example"], [], ["ada.king@mail.example"]),
    ],
)
def test_an_address_is_taken_from_its_larger_picture_if_it_hardly_differs(
    read: list[str], again: list[str], given: list[str]
):
    line, larger = (list(set_words(texts)) for texts in (read, again))
    span = find_mail(line)
    assert span is not None
    assert [word.text for word in put_mail(line, span, larger)] == given


def test_a_larger_picture_that_is_less_sure_changes_nothing():
    line, larger = [seen("ada.king@mail.example", 0)], [seen("ada.klng@mail.example", 0)._replace(confidence=0.8)]
    assert put_mail(line, (0, 1), larger) == line
    assert put_mail(line, (0, 1), [larger[0]._replace(confidence=0.95)]) != line


def set_words(texts: list[str]) -> Iterator[SeenWord]:
    """Words side by side; behind a dot hardly apart."""
    left = 0.0
    for text in texts:
        yield seen(text, left)
        left += 10.0 * len(text) + (3 if text.endswith(".") else 20)


def test_an_address_that_a_second_reading_parts_at_its_dot_is_put_in_whole():
    line, again = [seen("ada.kingGmail.example", 0)], list(set_words(["ada.", "king@mail.example"]))
    assert [word.text for word in put_addresses(line, again)] == ["ada.king@mail.example"]


def test_a_line_with_an_ending_behind_a_torn_dot_may_hold_an_address():
    assert has_address(list(set_words(["ada.", "kingGmail.", "org"])))
    assert not has_address(list(set_words(["etc.", "y", "otros."])))


def test_what_stands_far_behind_is_read_apart():
    words = [seen("About", 0), seen("me", 60), seen("ada@mail.example", 300)]
    assert [[word.text for word in part] for part in part_columns(words)] == [["About", "me"], ["ada@mail.example"]]


def test_only_lines_that_may_hold_an_address_are_read_again():
    parts, others = ("adaOmail.es", "ada@mail", "www", "https://a", "a©mail"), ("Verträge", "3.5", "Ltd.", "Kunden.")
    assert all(is_part_of_address(seen(text, 0)) for text in parts)
    assert not any(is_part_of_address(seen(text, 0)) for text in others)


def test_dots_of_lists_are_mended_where_they_were_taken_for_other_signs():
    def read(text: str) -> str:
        words = [seen(word, 60.0 * at) for at, word in enumerate(text.split())]
        return " ".join(word.text for word in mend_marks(words))

    assert read("Moodle + Teams - Word « Excel") == "Moodle • Teams • Word • Excel"
    assert read("+ Moodle") == "• Moodle"
    assert read("2019 - 2021 C++ +49 30") == "2019 - 2021 C++ +49 30"


def test_words_are_gathered_by_the_line_they_stand_on():
    words = [seen("one", 0), seen("two", 50), seen("three", 0, 30), seen("four", 400, 30)]
    assert [[word.text for word in line] for line in group_lines(words)] == [["one", "two"], ["three", "four"]]


@pytest.mark.system
def test_addresses_are_read_on_a_page_whose_data_does_not_know_them():
    lines = (
        "Dirección y gestión de los equipos para el área",
        "ada_g@correo.es | www.ada.example.com | León",
        "Reducción del coste por una mejora en las peticiones",
        "con el equipo y las empresas del sector",
    )
    picture, _ = render_page(
        make_pdf(lambda paper: [write(paper, line, 100 + 20 * n) for n, line in enumerate(lines)]), 1
    )
    data = find_data()
    assert data is not None
    read = TesseractRecogniser(data).see(picture)
    assert {"ada_g@correo.es", "www.ada.example.com", "León"} <= {word.text for word in read.words}
