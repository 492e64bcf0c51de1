"""Text and links of a PDF that their numbers do not show to be hidden: masks, patterns, empty fonts, empty paper."""

import pytest

from dibs.services.resumes.reading import read_document
from tests.services.resumes.making import BODY, SECRET, text_of

MASKING = "0 g 0 0 595 842 re f"
MASK = (
    "<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency/CS/DeviceGray>>"
    f"/Length {len(MASKING)}>>stream\n{MASKING}\nendstream"
)
TILES = (
    "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 5 5]/XStep 5/YStep 5/Resources<<>>/Length 16>>"
    "stream\n%s\nendstream"
)
WORDS = "72 690 200 712"


def line(text: str, font: str, up: int) -> str:
    return f"BT /{font} 10 Tf 72 {up} Td ({text}) Tj ET"


def pack_pdf(more: str, resources: str = "", *bodies: str, page: str = "") -> bytes:
    """Write a page with a line that is seen, and more; further objects are numbered from 6."""
    content = f"{line(BODY, 'F', 700)}\n{more}"
    held = resources if "/Font" in resources else f"/Font<</F 5 0 R>>{resources}"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<{held}>>{page}>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *bodies,
    ]
    numbered = (f"{number} 0 obj\n{body}\nendobj\n" for number, body in enumerate(objects, start=1))
    return f"%PDF-1.7\n{''.join(numbered)}trailer<</Root 1 0 R>>".encode()


HIDING_INKS = {
    "a mask": ("/G gs", "/ExtGState<</G<</SMask<</S/Luminosity/G 6 0 R>>>>>>", MASK),
    "a pattern of white": ("/Pattern cs /P scn", "/Pattern<</P 6 0 R>>", TILES % "1 g 0 0 5 5 re f"),
    "a pattern of nothing": ("/Pattern cs /P scn", "/Pattern<</P 6 0 R>>", TILES % " "),
}


@pytest.mark.parametrize(("ink", "resources", "body"), HIDING_INKS.values(), ids=HIDING_INKS)
def test_ink_that_shows_nothing_hides_what_it_writes(ink, resources, body):
    document = read_document(pack_pdf(f"{ink} {line(SECRET, 'F', 480)}", resources, body))
    assert text_of(document) == BODY
    assert {hidden.reason for hidden in document.hidden} == {"invisible"}


@pytest.mark.parametrize(("glyph", "is_seen"), [("500 0 d0", False), ("500 0 d0 0 0 400 700 re f", True)])
def test_letters_that_their_font_draws_as_nothing_are_not_read(glyph, is_seen):
    names = "".join(f"/{letter} 7 0 R" for letter in sorted({*SECRET} - {" "}))
    font = f"/FontMatrix[.001 0 0 .001 0 0]/FirstChar 32/LastChar 122/Widths[{'500 ' * 91}]/CharProcs<<{names}>>"
    letters = f"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/Encoding/WinAnsiEncoding{font}/Resources<<>>>>"
    drawn = f"<</Length {len(glyph)}>>stream\n{glyph}\nendstream"
    document = read_document(pack_pdf(line(SECRET, "T", 480), "/Font<</F 5 0 R/T 6 0 R>>", letters, drawn))
    assert (SECRET in text_of(document)) == is_seen
    assert [hidden.reason for hidden in document.hidden] == ([] if is_seen else ["invisible"])


@pytest.mark.parametrize(
    ("rect", "flags"), [("400 20 401 21", 0), ("400 20 480 40", 0), ("700 20 780 40", 0), (WORDS, 2)]
)
def test_a_link_that_nobody_sees_is_none(rect, flags):
    action = "<</S/URI/URI(mailto:jane@mail.example)>>"
    page = f"/Annots[<</Type/Annot/Subtype/Link/Rect[{{}}]/F {flags}/A{action}>>]"
    unseen, seen = (read_document(pack_pdf("", page=page.format(one))) for one in (rect, WORDS))
    assert unseen.pages[0].links == ()
    assert flags or [link.target for link in seen.pages[0].links] == ["mailto:jane@mail.example"]
