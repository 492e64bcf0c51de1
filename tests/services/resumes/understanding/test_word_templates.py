"""Templates that come with word processors: what stands in tables, margins and symbols."""

from typing import Any

from tests.services.resumes.making import make_docx
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_word_habits import bold, understand_docx


def add_entry(document: Any) -> None:
    document.add_heading("Experience", 1)
    bold(document, "Pharmacist, Juhel Ltd.")
    document.add_paragraph("2015 – 2019")


def test_contacts_in_the_footer_are_the_persons():
    def fill(document: Any) -> None:
        document.add_heading("Oluwaseun Adebayo", 0)
        add_entry(document)
        foot = document.sections[0].footer.paragraphs[0]
        foot.add_run("o.adebayo@mail.example   +234 803 555 0142   14 Bodija Road, Ibadan   LinkedIn")

    basics = understand_docx(make_docx(fill)).basics
    assert said(basics.email, basics.phone) == ("o.adebayo@mail.example", "+234 803 555 0142")
    assert basics.location
    assert said(basics.location.city, basics.location.address) == ("Ibadan", "14 Bodija Road")


def test_a_mail_address_that_is_cut_behind_its_last_dot_is_put_together():
    lines = ["+49 711 5550199", "k.woehrle@briefkasten.exam", "ple", "Stuttgart"]
    page = draw(write("Kai Wöhrle", 40, 20, size=22, bold=True), stack(lines, 40, 60))
    assert said(parse(page).basics.email) == ("k.woehrle@briefkasten.example",)
