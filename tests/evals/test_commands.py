"""The commands on the page about measuring the parser, with what people mistype."""

import sys

import pytest

from evals.resumes.__main__ import main
from evals.resumes.foreign import latex
from evals.resumes.report import mistakes


@pytest.mark.parametrize("typo", [("--sets", "asside"), ("--formats", "pdf,pfd"), ("--people", "0")])
def test_a_word_that_nobody_knows_is_refused_instead_of_measuring_nothing(tmp_path, monkeypatch, capsys, typo):
    monkeypatch.setattr(sys, "argv", ["evals.resumes", "--out", str(tmp_path), *typo])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert typo[0] in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_documents_leaves_the_report_of_the_one_before(tmp_path, monkeypatch, capsys):
    for name in ("report.html", "results.json"):
        (tmp_path / name).write_text("[]")
    words = ["--out", str(tmp_path), "--sets", "development", "--templates", "nope"]
    monkeypatch.setattr(sys, "argv", ["evals.resumes", *words])
    assert main() == 1
    assert "No document fits" in capsys.readouterr().err
    assert {(tmp_path / name).read_text() for name in ("report.html", "results.json")} == {"[]"}


def test_mistakes_of_no_run_are_told_how_to_make_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mistakes", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="1"):
        mistakes.main()
    assert "make eval-resumes" in capsys.readouterr().err


def test_who_lacks_a_class_is_told_where_to_get_that_one():
    assert latex.say_remedy("awesome").endswith(f"put awesome-cv.cls into {latex.OWN_CLASSES}")
    assert latex.say_remedy("moderncv-classic").startswith("apt install")
