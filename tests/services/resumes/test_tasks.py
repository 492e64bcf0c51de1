"""Resumes as jobs."""

import pytest

import dibs
from dibs.assembly import furnish
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.resumes.parser import ResumeParser
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.settings import ResumeSettings
from dibs.services.resumes.tasks import PARSE, declare_tasks
from tests.services.resumes.making import make_picture


@pytest.fixture
def documents(tmp_path):
    return FolderDocuments(tmp_path / "documents")


@pytest.fixture(scope="module")
def parser():
    with ResumeParser(ResumeSettings(ocr=Engine.RAPID)) as one:
        yield one


@pytest.fixture
async def app(documents, parser):
    app = dibs.Dibs("memory://")
    app.include(declare_tasks(parser, documents))
    async with app:
        yield app


async def finish(app: dibs.Dibs, job_id: str) -> dibs.Job:
    """Run what there is, and give the job as it is then."""
    await app.run_worker(handle_signals=False, until_drained=True)
    job = await app.find_job(job_id)
    assert job is not None
    assert job.error is None
    return job


async def test_a_text_resume_is_parsed_by_one_job(app, documents):
    key = await documents.put(b"Jane Roe\njane@example.org\n")
    job = await app.enqueue(PARSE, {"document": key, "name": "cv.txt"})
    done = await finish(app, job.id)
    assert done.output["basics"]["email"] == "jane@example.org"


async def test_a_picture_gives_a_first_result_and_a_job_that_brings_the_whole(app, documents):
    key = await documents.put(make_picture("Jane Roe", "jane.roe@example.org"))
    job = await app.enqueue(PARSE, {"document": key, "name": "cv.png"})
    first = await finish(app, job.id)
    assert first.output["meta"]["status"] == "needs_review"
    scan = await finish(app, first.output["meta"]["scan_job"])
    assert scan.parent_id == job.id
    assert scan.output["basics"]["email"] == "jane.roe@example.org"


async def test_a_file_that_cannot_be_read_is_an_answer_and_no_retry(app, documents):
    key = await documents.put(b"%PDF-1.7 and nothing else")
    job = await app.enqueue(PARSE, {"document": key})
    done = await finish(app, job.id)
    assert done.state == "succeeded"
    assert done.output["meta"]["status"] == "error"


async def test_a_document_is_kept_once_and_found_by_its_key(documents):
    key = await documents.put(b"one")
    assert await documents.put(b"one") == key
    assert await documents.get(key) == b"one"


@pytest.mark.parametrize("key", ["../../etc/passwd", "", "ab" * 31 + "zz", "00" * 32])
async def test_a_key_that_is_none_is_refused(documents, key):
    with pytest.raises(dibs.BadInput, match="document"):
        await documents.get(key)


async def test_an_installation_has_the_tasks_and_its_folder_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(tmp_path))
    app = dibs.Dibs("memory://")
    furnish(app)
    key = await FolderDocuments(tmp_path).put(b"Jane Roe\njane@example.org\n")
    async with app:
        job = await app.enqueue(PARSE, {"document": key})
        assert job is not None
        done = await finish(app, job.id)
    assert done.output["basics"]["email"] == "jane@example.org"
