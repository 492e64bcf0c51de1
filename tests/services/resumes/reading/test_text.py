"""Plain text, whatever its encoding."""

import pytest

from dibs.services.resumes.reading import Limits, read_document
from dibs.services.resumes.reading.sheet import Sheet
from tests.services.resumes.making import blocks_of, codes_of, lines_of, text_of


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_is_read_in_every_form(encoding):
    document = read_document("Zoë Müller\nengineer — Łódź".encode(encoding))
    assert lines_of(document) == ["Zoë Müller", "engineer — Łódź"]
    assert codes_of(document) == []


def test_other_bytes_are_read_as_windows_text_and_flagged():
    document = read_document("Zoë Müller – “engineer”".encode("cp1252"))
    assert text_of(document) == "Zoë Müller – “engineer”"
    assert codes_of(document) == ["encoding_guessed"]


def test_blank_lines_part_blocks_and_marks_make_bullets():
    first, second = blocks_of(read_document(b"Jane Roe\nBerlin\n\n- built things\n* sold things\n"))
    assert [line.text for line in first.lines] == ["Jane Roe", "Berlin"]
    assert [(line.text, line.bullet) for line in second.lines] == [("built things", True), ("sold things", True)]
    assert second.lines[0].gap > 0


def test_wide_gaps_keep_columns_apart():
    words = blocks_of(read_document(b"Acme Ltd          2020 - 2022"))[0].lines[0].words
    assert words[2].box.left - words[1].box.right > words[1].size


def test_text_over_the_limit_is_cut_and_flagged():
    document = read_document(b"word " * 500, limits=Limits(max_characters=100))
    assert "text_cut" in codes_of(document)
    assert sum(len(word.text) for page in document.pages for word in page.words) <= 100


@pytest.mark.parametrize("end", [" ", "\n"], ids=["on one line", "on many"])
def test_text_without_end_is_set_no_further_than_it_is_read(end, monkeypatch):
    set_lines = []
    monkeypatch.setattr(
        Sheet, "write", lambda _self, _area, runs, **_: set_lines.append(sum(len(one.text) for one in runs))
    )
    read_document(f"a{end}".encode() * 50_000, limits=Limits(max_characters=1_000))
    assert 1_000 < sum(set_lines) < 3_000
    monkeypatch.undo()
    document = read_document(f"a{end}".encode() * 50_000, limits=Limits(max_characters=1_000, max_pages=1_000))
    assert codes_of(document) == ["text_cut"]
