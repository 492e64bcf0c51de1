from dibs.services.resumes.uploads.overlay import draw_overlay
from tests.services.resumes.understanding.drawing import draw, make, parse, stack, write


def test_every_piece_of_evidence_has_a_frame_with_its_field():
    page = draw(write("Ada Lovelace", 40, 30, size=22), stack(["ada@mail.example", "#Skills", "Python, SQL"], 40, 70))
    told = parse(page).to_json()
    shown = draw_overlay(make(page), told)
    assert shown.count("<rect") == sum(len(field["evidence"]) for field in told["meta"]["fields"].values())
    assert "basics.email: ada@mail.example" in shown
    assert ">Lovelace</text>" in shown


def test_words_cannot_break_out_of_the_page():
    page = draw(write("<script>alert(1)</script>", 40, 30))
    assert "<script>" not in draw_overlay(make(page), parse(page).to_json())
