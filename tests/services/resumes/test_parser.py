"""From a file to a profile: at once where there is text, later where there are pictures, and never a crash."""

import asyncio
from collections.abc import Iterator

import pytest

import dibs
from dibs.services.resumes.parser import File, ResumeParser, parse_resume
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.settings import ResumeSettings
from tests.services.resumes.making import SECRET, make_docx, make_pdf, make_picture, write

LINES = ("Jane Roe", "jane.roe@example.org", "Experience", "Engineer, Acme Ltd, 2019 - 2021")


@pytest.fixture(scope="module")
def parser() -> Iterator[ResumeParser]:
    with ResumeParser(ResumeSettings(ocr=Engine.RAPID)) as one:
        yield one


def draw(paper, *, is_tricky: bool = False) -> None:
    for number, line in enumerate(LINES):
        write(paper, line, 100 + 20 * number)
    if is_tricky:
        paper.setFillColorRGB(1, 1, 1)
        write(paper, SECRET, 400)
        write(paper, "Kubernetes, Rust, Nobel prize", 420)


def test_a_file_gives_json_resume_with_meta():
    resume = parse_resume(make_pdf(draw), name="cv.pdf")
    assert resume["basics"]["email"] == "jane.roe@example.org"
    meta = resume["meta"]
    assert meta["status"] in {"ok", "needs_review"}
    assert not {flag["code"] for flag in meta["flags"]} & {"hidden_text", "no_text", "ocr_pending"}
    evidence = meta["fields"]["basics.email"]
    assert 0 < evidence["confidence"] <= 1
    assert evidence["evidence"][0]["page"] == 1


async def test_hidden_text_changes_no_field(parser):
    plain = await parser.parse(File(data=make_pdf(draw)))
    tricky = await parser.parse(File(data=make_pdf(lambda paper: draw(paper, is_tricky=True))))
    assert [flag["code"] for flag in tricky["meta"]["flags"]] == ["hidden_text"]
    assert tricky["meta"]["status"] == "needs_review"
    assert tricky["meta"].pop("fields") == plain["meta"].pop("fields")
    assert {**tricky, "meta": None} == {**plain, "meta": None}
    assert "Kubernetes" not in str(tricky)


async def test_a_file_that_cannot_be_read_gives_an_error_that_asks_for_another_upload(parser):
    resume = await parser.parse(File(data=make_pdf(draw)[:700], name="cv.pdf"))
    assert resume["basics"] == {}
    assert resume["meta"]["status"] == "error"
    (flag,) = resume["meta"]["flags"]
    assert flag["code"] == "corrupted"
    assert "upload it again" in flag["message"]


async def test_an_empty_page_gives_an_empty_profile(parser):
    resume = await parser.parse(File(data=make_docx(lambda document: None)))
    assert resume["basics"] == {}
    assert set(resume) == {"basics", "meta"}
    assert "no_text" in [flag["code"] for flag in resume["meta"]["flags"]]
    assert resume["meta"]["status"] == "needs_review"


async def test_a_picture_gives_a_first_result_at_once_and_the_whole_later(parser):
    file = File(data=make_picture(*LINES, size=(1400, 500)), name="cv.png")
    first = await parser.parse_text(file)
    assert first.resume["meta"]["status"] == "needs_review"
    assert "ocr_pending" in [flag["code"] for flag in first.resume["meta"]["flags"]]
    assert first.pending is not None
    whole = await parser.parse_scans(file, first.pending)
    assert whole["basics"]["email"] == "jane.roe@example.org"
    codes = [flag["code"] for flag in whole["meta"]["flags"]]
    assert "scanned" in codes
    assert not {"ocr_pending", "no_text"} & set(codes)


async def test_without_a_recogniser_a_picture_is_left_to_a_person():
    with ResumeParser(ResumeSettings(ocr=Engine.OFF)) as parser:
        resume = await parser.parse(File(data=make_picture("Jane Roe")))
    assert [flag["code"] for flag in resume["meta"]["flags"]] == ["ocr_unavailable", "no_text"]
    assert resume["meta"]["status"] == "needs_review"


async def test_many_files_at_once(parser):
    files = [File(data=f"Jane Roe\njane{number}@example.org".encode()) for number in range(10)]
    resumes = await asyncio.gather(*(parser.parse(file) for file in files))
    assert [one["basics"]["email"] for one in resumes] == [f"jane{number}@example.org" for number in range(10)]


def test_settings_come_from_the_environment():
    settings = ResumeSettings.from_env({"DIBS_RESUMES_MAX_PAGES": "3", "DIBS_RESUMES_OCR": "off", "OTHER": "1"})
    assert (settings.max_pages, settings.ocr, settings.max_bytes) == (3, Engine.OFF, ResumeSettings().max_bytes)
    assert settings.limits.max_pages == 3
    assert settings.allowance.cpu_seconds == settings.cpu_seconds


@pytest.mark.parametrize(
    "env", [{"DIBS_RESUMES_MAX_PAGES": "many"}, {"DIBS_RESUMES_MAX_BYTES": "0"}, {"DIBS_RESUMES_OCR": "later"}]
)
def test_a_setting_that_makes_no_sense_is_refused(env):
    with pytest.raises(dibs.BadInput, match=r"makes no sense|no engine"):
        ResumeSettings.from_env(env)


def test_documents_are_in_the_folder_of_an_installation_unless_one_is_named():
    assert ResumeSettings.from_env({}, data="here").folder == "here/documents"
    assert ResumeSettings.from_env({"DIBS_RESUMES_FOLDER": "there"}, data="here").folder == "there"
