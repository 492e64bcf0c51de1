"""`dibs encryption renew`, and `dibs person` with keys: one person, seeded everywhere before there was a key."""

import asyncio
import io
import json
from zipfile import ZipFile

import pytest

from tests.cli.commands.test_person import MARK, WHO, WHY, read_files, seed

OLD, NEW = "o" * 44, "n" * 44
VARIABLE = "DIBS_ENCRYPTION_KEYS"


@pytest.fixture
def place(room, monkeypatch):
    monkeypatch.setenv("DIBS_RESUMES_FOLDER", str(room / "documents"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return f"sqlite:///{room}/person.db"


@pytest.fixture
def person(dibs, place, room, monkeypatch):
    """Seed one person plain, then set a key and write everything anew."""
    assert dibs("db", "migrate", "--url", place).code == 0
    assert dibs("tenants", "create", "acme", "--url", place).code == 0
    asyncio.run(seed(place, room / "documents"))
    monkeypatch.setenv(VARIABLE, OLD)
    told = dibs("encryption", "renew", "--url", place, "--json")
    assert told.code == 0, told
    return dibs


def find_plain(place, room):
    """Give the rows and files that name the person, and should not."""
    rows = [text for text in read_files(room) if MARK in text and "mail zq" not in text]
    files = [
        path.name for path in (room / "documents").rglob("*") if path.is_file() and MARK.encode() in path.read_bytes()
    ]
    # Unique keys, and what webhooks tell, stay in sight.
    return [row for row in rows if not row.startswith("webhooks_")] + files


def test_what_was_plain_is_encrypted_and_a_dry_run_only_counts(dibs, place, room, monkeypatch):
    assert dibs("db", "migrate", "--url", place).code == 0
    assert dibs("tenants", "create", "acme", "--url", place).code == 0
    asyncio.run(seed(place, room / "documents"))
    plain = find_plain(place, room)
    monkeypatch.setenv(VARIABLE, OLD)
    counted = dibs("encryption", "renew", "--dry-run", "--url", place, "--json").json
    assert (counted["dry_run"], find_plain(place, room)) == (True, plain)
    told = dibs("encryption", "renew", "--url", place, "--json").json
    assert {name: found["renewed"] for name, found in told["found"].items()} == {
        name: found["renewed"] for name, found in counted["found"].items()
    }
    assert min(told["found"][name]["renewed"] for name in ("jobs", "schedules", "documents", "tables")) > 0
    assert find_plain(place, room) == []
    assert MARK in dibs("jobs", "show", "waiting", "--url", place).out
    again = dibs("encryption", "renew", "--url", place)
    assert (again.code, again.out.count(" 0 written anew")) == (0, len(told["found"]))


def test_with_a_new_key_in_front_the_old_one_can_go(person, place, monkeypatch):
    monkeypatch.setenv(VARIABLE, f"{NEW},{OLD}")
    assert person("encryption", "renew", "--url", place).code == 0
    monkeypatch.setenv(VARIABLE, NEW)
    told = person("encryption", "renew", "--url", place, "--json")
    assert (told.code, {found["renewed"] for found in told.json["found"].values()}) == (0, {0})
    assert MARK in person("jobs", "show", "waiting", "--url", place).out


def test_what_no_key_opens_is_told_and_left(person, place, monkeypatch):
    monkeypatch.setenv(VARIABLE, NEW)
    told = person("encryption", "renew", "--url", place, "--json")
    assert told.code == 1
    assert {name for name, found in told.json["found"].items() if found["unreadable"]} == {
        "jobs",
        "schedules",
        "documents",
        "tables",
    }
    assert "cannot be read: output of job 'makes'" in told.err
    monkeypatch.setenv(VARIABLE, OLD)
    assert person("encryption", "renew", "--url", place).code == 0


def test_a_person_is_given_out_from_what_is_encrypted(person, place, room):
    out = room / "ada.zip"
    told = person("person", "export", MARK, *WHO, "--out", str(out), "--url", place, "--json")
    assert (told.code, told.err) == (0, "")
    expected = {"documents": 2, "webhooks": 1, "postings": 4, "jobs": 9}
    assert {name: count for name, count in told.json["counts"].items() if count} == expected
    with ZipFile(io.BytesIO(out.read_bytes())) as archive:
        jobs = {one["id"]: one for one in json.loads(archive.read("jobs.json"))}
        files = [archive.read(name) for name in archive.namelist() if name.startswith("documents/")]
    assert MARK in str(jobs["waiting"])
    assert sorted(files) == [f"mine {MARK}".encode(), f"shared {MARK}".encode()]


def test_a_person_is_erased_from_what_is_encrypted(person, place, room):
    erased = person("person", "erase", MARK, *WHO, *WHY, "--yes", "--url", place, "--json")
    # The other tenant has the same file under its own key: nothing is left of this one's.
    assert (erased.code, erased.json["left"], erased.json["counts"]["jobs"]) == (0, 0, 9)
    assert [text for text in read_files(room) if MARK in text] == []
    again = person("person", "export", MARK, *WHO, "--out", str(room / "none.zip"), "--url", place, "--json")
    assert sum(again.json["counts"].values()) == 0
    assert len([path for path in (room / "documents").rglob("*/??/*") if path.is_file()]) == 1
    assert person("jobs", "show", "bert", "--url", place).code == 0


def test_without_the_key_nobody_is_said_to_be_gone(person, place, room, monkeypatch):
    for keys in (NEW, ""):
        monkeypatch.setenv(VARIABLE, keys)
        for command in (["export", "--out", str(room / "x.zip")], ["erase", *WHY, "--yes"]):
            refused = person("person", *command, MARK, *WHO, "--url", place)
            assert refused.code != 0
            assert VARIABLE in refused.err
    monkeypatch.setenv(VARIABLE, OLD)
    told = person("person", "export", MARK, *WHO, "--out", str(room / "y.zip"), "--url", place, "--json")
    assert told.json["counts"]["jobs"] == 9
