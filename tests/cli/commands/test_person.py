"""`dibs person`: one person, seeded everywhere, is given out whole and then is nowhere, on every pair of stores."""

import asyncio
import io
import json
import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import asyncpg
import pytest
import redis.asyncio

from dibs import assembly
from dibs.apps.postings.claims import store as runs
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.ledger import store as ledger
from dibs.apps.postings.records import Run
from dibs.assembly import open_backend
from dibs.cli.exits import Exit
from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.schedules.declaring import make_timing
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.store.moves import Failure
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.webhooks import store as webhooks
from dibs.services.webhooks.model import Endpoint, Event, Message
from dibs.settings import Settings
from dibs.storage.database.address import find_tables_url
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.tables import add_option, drop_family

READ = {
    "string": lambda key: ("GET", key),
    "hash": lambda key: ("HGETALL", key),
    "list": lambda key: ("LRANGE", key, 0, -1),
    "set": lambda key: ("SMEMBERS", key),
    "zset": lambda key: ("ZRANGE", key, 0, -1),
    "stream": lambda key: ("XRANGE", key, "-", "+"),
}
MARK = "zq-ada-marker@example.com"
OTHER = "bert@example.com"
WHO = ("--tenant", "acme")
WHY = ("--reason", "asked by the person", "--actor", "ann")


@pytest.fixture(params=["sqlite", "postgres", "redis, sqlite", "redis, postgres"])
def place(request, room, monkeypatch):
    """Where jobs are; tables are there, too, or where the settings say."""
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(room / "documents"))
    monkeypatch.setenv("DIBS_DATA", str(room))
    is_redis, family = request.param.startswith("redis"), f"t_{uuid4().hex[:12]}"
    jobs = f"sqlite:///{room}/person.db"
    if is_redis:
        jobs = add_option(request.getfixturevalue("redis_url"), f"namespace={family}")
    if request.param.endswith("sqlite"):
        yield jobs
        return
    postgres_url = request.getfixturevalue("postgres_url")
    tables = add_option(postgres_url, f"schema={family}")
    if is_redis:
        monkeypatch.setenv("DIBS_TABLES_URL", tables)
    yield jobs if is_redis else tables
    asyncio.run(drop_family(postgres_url, family))


@pytest.fixture
def person(dibs, place, room):
    assert dibs("db", "migrate", "--url", place).code == 0
    asyncio.run(seed(place, room / "documents"))
    return dibs


async def seed(url, folder):
    documents = FolderDocuments(folder)
    resume, shared = [await documents.put(f"{text} {MARK}".encode()) for text in ("mine", "shared")]
    async with await open_backend(url, migrate=False) as backend:
        await backend.store_jobs(
            [
                Job(id="waiting", job_type="MAIL", tenant="acme", input={"to": [MARK]}),
                Job(id="parse", job_type="RESUME_PARSE", tenant="acme", input={"document": resume, "name": MARK}),
                Job(id="scan", job_type="RESUME_SCAN", tenant="acme", input={"document": resume}),
                Job(id="parse-2", job_type="RESUME_PARSE", tenant="acme", input={"document": shared, "name": MARK}),
                Job(id="theirs", job_type="RESUME_PARSE", tenant="globex", input={"document": shared}),
                Job(id="keyed", job_type="MAIL", tenant="acme", unique_key=f"mail {MARK}"),
                Job(id="queued", job_type="MAIL", tenant="acme", queue=f"mail {MARK}"),
                Job(id="shown", job_type="MAIL", tenant="acme", input={"error": repr(f"line\n{MARK.upper()}")}),
                Job(id="bert", job_type="MAIL", tenant="acme", input={"to": OTHER}),
                Job(id="fails", job_type="BREAK", tenant="acme", max_retries=5),
                Job(id="makes", job_type="MAKE", tenant="acme"),
            ]
        )
        [makes] = await backend.claim_pending_jobs(1, job_types=["MAKE"])
        await backend.complete_job(makes.lease, {"profile": {"email": MARK}})
        [fails] = await backend.claim_pending_jobs(1, job_types=["BREAK"])
        await backend.fail_job(Failure(lease=fails.lease, error=ErrorInfo(type="Boom", message=f"no {MARK}")))
        timing = make_timing("0 3 * * *", timezone=None, anchor=None)
        schedule = Schedule(name="nightly", tenant="acme", job_type="MAIL", timing=timing, input={"id": "unnamed"})
        await backend.schedules.create(schedule, actor="ann", reason="new")
    async with Tables.at(find_tables_url(Settings.from_env(), url)) as tables:
        await seed_tables(tables)


async def seed_tables(tables):
    async with tables.writing(sight_of("acme")) as transaction:
        now = transaction.now
        await runs.add_run(transaction, make_run(now, "run-1", {"answers": {"email": MARK}, "cv": f"{MARK} " * 2_000}))
        await ledger.note_answers(transaction, "run-1", {"answers": {"email": MARK}})
        await runs.add_run(transaction, make_run(now, "run-2", {"answers": {"email": OTHER}}))
        endpoint = Endpoint(
            id="hook", tenant="acme", url="https://x.example", events=("alert",), created_by="ann", created_at=now
        )
        for subject in (f"candidate:{MARK}", "candidate:7"):
            message = Message(event=Event.ALERT, sequence=1, subject=subject, at=now, body=json.dumps({"s": subject}))
            await webhooks.add_delivery(transaction, endpoint, message)


def make_run(now, run_id, artifacts):
    return Run(
        run_id=run_id,
        posting_id="posting-1",
        variant_id="v1",
        state=RunState.PENDING,
        request_digest="x",
        artifacts=artifacts,
        token=1,
        version=1,
        created_at=now,
        updated_at=now,
    )


async def read_everything(url):
    """Give all that is kept in every store, past everything of ours."""
    tables = find_tables_url(Settings.from_env(), url)
    rows = await read_schemas(tables) if tables.startswith("postgres") else []
    rows += await read_keys(url) if url.startswith("redis") else []
    return rows + read_files(Settings.from_env().data)


def read_files(folder):
    texts = []
    for file in Path(folder).glob("*.db"):
        with closing(sqlite3.connect(file)) as opened:
            names = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            texts += [f"{name}: {row}" for name in names for row in opened.execute(f'SELECT * FROM "{name}"')]
    return texts


async def read_keys(url):
    """Give each key of Redis with all that it holds."""
    base, _, namespace = url.rpartition("?namespace=")
    texts = []
    async with redis.asyncio.Redis.from_url(base, decode_responses=True, encoding_errors="replace") as client:
        for key in await client.keys(f"{{{namespace}}}*"):
            kind = str(await client.type(key))
            texts.append(f"{key!r}: {await client.execute_command(*READ[kind](key))}")
    return texts


async def read_schemas(url):
    base, _, family = url.rpartition("schema=")
    connection = await asyncpg.connect(base.rstrip("?&"))
    question = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE $1"
    texts = []
    for schema, name in await connection.fetch(question, f"{family}%"):
        rows = await connection.fetch(f'SELECT one::text AS row FROM "{schema}"."{name}" AS one')
        texts += [f"{name}: {row['row']}" for row in rows]
    await connection.close()
    return texts


def test_all_that_is_held_is_given_out(person, place, room):
    out = room / "ada.zip"
    # As somebody left it there who was not careful.
    out.touch(mode=0o644)
    told = person("person", "export", MARK, *WHO, "--out", str(out), "--url", place, "--json")
    assert (told.code, told.err) == (0, "")
    assert {name: count for name, count in told.json["counts"].items() if count} == {
        "documents": 2,
        "webhooks": 1,
        "postings": 4,
        "jobs": 9,
    }
    assert out.stat().st_mode & 0o077 == 0
    with ZipFile(io.BytesIO(out.read_bytes())) as archive:
        jobs = {one["id"] for one in json.loads(archive.read("jobs.json"))}
        files = [archive.read(name) for name in archive.namelist() if name.startswith("documents/")]
    assert jobs == {"waiting", "parse", "scan", "parse-2", "keyed", "queued", "shown", "fails", "makes"}
    assert sorted(files) == [f"mine {MARK}".encode(), f"shared {MARK}".encode()]


@pytest.mark.parametrize("out", ["nowhere/ada.zip", ".", "a" * 300])
def test_an_archive_that_cannot_be_written_is_refused_before_the_log_says_that_it_was_given_out(dibs, store, out):
    told = dibs("person", "export", MARK, "--out", out)
    assert (told.code, "cannot be written" in told.err) == (2, True)
    assert dibs("audit", "list", "--json").json["entries"] == []


def test_what_is_no_file_stays_open_to_everybody_who_may_write_to_it(dibs, store, room):
    pipe = room / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    dibs("person", "export", MARK, "--out", str(pipe))
    assert pipe.stat().st_mode & 0o777 == 0o666
    os.close(reader)


def test_an_archive_of_what_cannot_be_read_leaves_no_file(dibs, room):
    assert dibs("person", "export", MARK, "--out", "ada.zip").code == Exit.SCHEMA_MISMATCH
    assert not (room / "ada.zip").exists()


def test_a_person_who_is_erased_is_nowhere_any_more_and_others_are(person, place, room):
    erased = person("person", "erase", MARK, *WHO, *WHY, "--yes", "--url", place, "--json")
    assert erased.json["counts"]["jobs"] == 9
    everything = "\n".join(asyncio.run(read_everything(place)))
    assert MARK not in everything.lower()
    assert everything.count(OTHER) >= 2
    # The very same file is another tenant's, too, and stays for them: that is told, and so is that not all is gone.
    assert (erased.code, erased.json["left"]) == (1, 1)
    assert "another tenant has the same one" in erased.err
    kept = [path.read_bytes() for path in (room / "documents").rglob("*") if path.is_file()]
    assert kept == [f"shared {MARK}".encode()]
    assert erased.json["id"] in everything
    assert "PERSON_ERASED" in everything
    again = person("person", "erase", MARK, *WHO, *WHY, "--yes", "--url", place, "--json")
    assert sum(again.json["counts"].values()) == 0


def test_another_tenants_data_stays(person, place):
    before = asyncio.run(read_everything(place))
    erased = person("person", "erase", MARK, "--tenant", "globex", *WHY, "--yes", "--url", place, "--json")
    assert (erased.code, sum(erased.json["counts"].values())) == (0, 0)
    after = asyncio.run(read_everything(place))
    assert sum(MARK in text for text in after) == sum(MARK in text for text in before)


def test_a_dry_run_changes_nothing_and_without_yes_nobody_is_erased(person, place):
    told = person("person", "erase", MARK, *WHO, *WHY, "--dry-run", "--url", place)
    assert (told.code, "jobs 9" in told.out) == (0, True)
    refused = person("person", "erase", MARK, *WHO, *WHY, "--url", place)
    assert (refused.code, "Add --yes" in refused.err) == (2, True)
    assert any(MARK in text for text in asyncio.run(read_everything(place)))


def test_a_reference_that_could_be_anybody_is_refused(person, place):
    refused = person("person", "erase", "ada", *WHO, *WHY, "--yes", "--url", place)
    assert (refused.code, "nobody else" in refused.err) == (2, True)


def test_documents_that_are_not_where_they_should_be_keep_the_jobs_that_lead_to_them(dibs, room, monkeypatch):
    assert dibs("db", "migrate").code == 0
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(room / "documents"))
    job = {"document": sha256(b"mine").hexdigest(), "name": MARK}
    dibs("enqueue", "RESUME_PARSE", json.dumps(job), "--tenant", "acme")
    for told in (
        dibs("person", "erase", MARK, *WHO, *WHY, "--yes"),
        dibs("person", "erase", MARK, *WHO, *WHY, "--dry-run"),
        dibs("person", "export", MARK, *WHO, "--out", "ada.zip"),
    ):
        assert (told.code, "DIBS_RESUMES_FOLDER" in told.err) == (Exit.WRONG_USAGE, True)
    (room / "documents").mkdir()
    assert dibs("person", "erase", MARK, *WHO, *WHY, "--yes", "--json").json["counts"]["jobs"] == 1


def test_whoever_could_not_look_at_everything_does_not_leave_with_0(dibs, room, monkeypatch):
    assert dibs("db", "migrate").code == 0
    package = room / "halved"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "holdings.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(room)
    monkeypatch.setattr(assembly, "INSTALLED", (*assembly.INSTALLED, "halved"))
    for command in (
        ("person", "export", MARK, "--out", "ada.zip"),
        ("person", "erase", MARK, *WHY, "--dry-run"),
        ("person", "erase", MARK, *WHY, "--yes"),
        ("encryption", "renew"),
    ):
        told = dibs(*command)
        assert (told.code, "not looked at for want of a package: halved" in told.err) == (Exit.NOT_DONE, True), command
    [said] = dibs("person", "erase", MARK, *WHY, "--yes", "--json").json["kept"]
    assert said.startswith("whatever halved holds: it was not looked at, for want of no_such_package.")
