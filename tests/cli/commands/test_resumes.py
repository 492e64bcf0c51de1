"""`dibs resumes parse`: a batch that goes on after a bad file."""

import json
import os

import pytest

from dibs.cli.commands.resumes import find_files

TEXT = "Jane Roe\njane@example.org\n\nExperience\nEngineer, Acme Ltd, 2019 - 2021\n"


@pytest.fixture
def batch(room):
    folder = room / "in"
    (folder / "more").mkdir(parents=True)
    (folder / "jane.txt").write_text(TEXT)
    (folder / "more" / "john.txt").write_text(TEXT.replace("jane", "john").replace("Jane", "John"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    (folder / ".hidden").write_text("not a resume")
    return folder


def test_a_batch_goes_on_after_a_bad_file_and_leaves_with_2(run_program, batch, room):
    done = run_program("resumes", "parse", "in", "--out", "out")
    assert done.code == 2, done
    assert "3 documents: " in done.out
    assert "1 refused · out" in done.out
    assert "broken.pdf: The file is damaged" in done.err
    written = sorted(path.relative_to(room / "out").as_posix() for path in (room / "out").rglob("*.json"))
    assert written == ["broken.pdf.json", "jane.txt.json", "more/john.txt.json"]
    jane = json.loads((room / "out" / "jane.txt.json").read_text())
    assert jane["basics"]["email"] == "jane@example.org"
    assert jane["meta"]["status"] in {"ok", "needs_review"}
    broken = json.loads((room / "out" / "broken.pdf.json").read_text())
    assert broken["meta"]["status"] == "error"
    assert broken["meta"]["flags"][0]["code"] == "corrupted"


def test_a_batch_that_was_read_leaves_with_0(run_program, batch):
    (batch / "broken.pdf").unlink()
    done = run_program("resumes", "parse", "in", "--out", "out", "--json")
    assert done.code == 0
    assert done.json["error"] == 0
    assert done.json["ok"] + done.json["needs_review"] == 2


def test_a_single_file_is_printed(run_program, batch):
    done = run_program("resumes", "parse", "in/jane.txt")
    assert done.code == 0
    assert done.json["basics"]["name"] == "Jane Roe"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere",), "there is no nowhere"),
        (("a" * 300,), "cannot be read"),
        (("in",), "--out DIR"),
        (("in/jane.txt", "--ocr", "magic"), "is no engine"),
    ],
)
def test_what_cannot_be_done_is_said(run_program, batch, arguments, says):
    done = run_program("resumes", "parse", *arguments)
    assert done.code == 2
    assert says in done.err


def test_a_file_over_the_limit_is_refused_before_it_is_read(run_program, batch, monkeypatch):
    monkeypatch.setenv("DIBS_RESUMES_MAX_BYTES", "20")
    done = run_program("resumes", "parse", "in/jane.txt")
    assert done.code == 2
    assert "over the limit of 20 bytes" in done.err


def test_names_that_are_no_text_or_too_long_stop_no_batch(run_program, batch, room):
    (batch / os.fsdecode(b"b\xe4d.txt")).write_text(TEXT)
    (batch / f"{'n' * 250}.txt").write_text(TEXT)
    done = run_program("resumes", "parse", "in", "--out", "out")
    assert done.code == 2, done
    assert "5 documents: " in done.out
    assert "2 refused · out" in done.out
    assert "its profile cannot be written: File name too long." in done.err
    assert (room / "out" / os.fsdecode(b"b\xe4d.txt.json")).exists()
    assert (room / "out" / "more" / "john.txt.json").exists()


@pytest.mark.parametrize("out", ["in", "in/out"])
def test_profiles_of_an_earlier_run_are_no_documents(batch, room, out):
    (batch / "notes.json").write_text(TEXT)
    documents = find_files(batch)
    for document in documents:
        profile = room / out / document.relative_to(batch).with_name(f"{document.name}.json")
        profile.parent.mkdir(parents=True, exist_ok=True)
        profile.write_text("{}")
    assert find_files(batch, room / out) == documents
    assert len(find_files(batch)) == 2 * len(documents)


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_read(run_program, batch):
    done = run_program("resumes", "parse", "in", "--out", "in/jane.txt/out")
    assert done.code == 2
    assert "profiles cannot be written to in/jane.txt/out: Not a directory" in done.err
