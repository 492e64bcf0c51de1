"""Whatever is replaced or changed over HTTP has a version, and If-Match spares what somebody else has written since."""

import re

import pytest

from dibs.apps.postings.office import Office
from tests.apps.postings.conftest import keep, make_posting
from tests.server.doors.test_doors import DOORS, WHY

SHUT = {"scope": "queue", "name": "mail", **WHY}
PERSON = {"full_name": "Jane Roe", "contact": "", "answers": {}, **WHY}
CAP = {"scope": "company", "name": "Ibis, Inc.", **WHY}
# A path, two bodies that may stand there, and where its record is found, with its version.
RESOURCES = {
    "/sources/{name}": ({"burst": 2, **WHY}, {"burst": 3, **WHY}, "/sources"),
    "/gate": ({"mode": "closed", **SHUT}, {"mode": "drain", **SHUT}, "/gate"),
    "/limits/queues/{name}": ({"fair": True, **WHY}, {"fair": False, **WHY}, "/limits"),
    "/limits/keys/{name}": ({"max_running": 2, **WHY}, {"max_running": 3, **WHY}, "/limits"),
    "/budgets/{name}": ({"max_running": 2, **WHY}, {"max_running": 3, **WHY}, "/budgets"),
    "/caps": ({"most_a_day": 2, **CAP}, {"most_a_day": 3, **CAP}, "/caps?tenant=acme"),
    "/boards/{board}/policy": ({"fence": "optional", **WHY}, {"fence": "required", **WHY}, "/boards?tenant=acme"),
    "/postings/profiles/{name}": (PERSON, {**PERSON, "full_name": "Jo"}, "/postings/profiles?tenant=acme"),
    "/postings/profiles/{name}/variants/{variant_id}": (
        {"resume": "a.pdf", **WHY},
        {"resume": "b.pdf", **WHY},
        "/postings/profiles?tenant=acme",
    ),
}
# Schedules and resumes have numbers, and tests of their own. An answer to a question is added to the others; agents
# report under the run that holds the posting.
ELSEWHERE = {"/schedules/{name}", "/resumes/{resume_id}", "/answers", "/postings", "/api/crawler/jobs"}


def test_every_path_that_replaces_or_changes_something_is_looked_at_here():
    assert {path for method, path, _ in DOORS if method in ("PUT", "PATCH")} == {*RESOURCES, *ELSEWHERE}


def find_version(listed) -> str:
    [records] = [records for records in listed.values() if records]
    return str(records[0]["version"])


def make_url(path: str) -> str:
    is_owned = any(part in path for part in ("caps", "boards", "profiles"))
    return re.sub(r"{\w+}", "ramp", path) + ("?tenant=acme" if is_owned else "")


@pytest.fixture
async def surroundings(directory, operator):
    await keep(Office(directory.tables), make_posting(), tenant="acme")
    await operator.put(make_url("/postings/profiles/{name}"), json=PERSON)


@pytest.mark.parametrize("path", RESOURCES)
@pytest.mark.usefixtures("surroundings")
async def test_what_was_changed_since_it_was_read_is_not_replaced(operator, path):
    first, second, list_path = RESOURCES[path]
    url = make_url(path)
    assert (await operator.put(url, json=first)).status_code == 200
    seen = find_version((await operator.get(list_path)).json())
    read = await operator.get(url)
    assert read.headers.get("etag", f'"{seen}"') == f'"{seen}"'
    meant = {"If-Match": f'"{seen}"'}
    done = await operator.put(url, json=second, headers=meant)
    assert done.status_code == 200, done.text
    late = await operator.put(url, json=first, headers=meant)
    assert (late.status_code, late.json()["code"]) == (412, "version_moved")
    listed = (await operator.get(list_path)).json()
    assert seen not in str(listed)
    assert (await operator.put(url, json=first)).status_code == 200, "without If-Match the last one wins"


@pytest.mark.parametrize("path", RESOURCES)
async def test_what_is_not_there_is_replaced_by_nobody(operator, path):
    refused = await operator.put(make_url(path), json=RESOURCES[path][0], headers={"If-Match": "*"})
    assert refused.status_code == (404 if "boards" in path else 412)
    assert not any((await operator.get(RESOURCES[path][2])).json().values())


async def test_one_of_several_versions_and_any_are_understood_and_a_weak_one_is_none(operator):
    first, second, _ = RESOURCES["/sources/{name}"]
    tag = (await operator.put("/sources/board", json=first)).headers["etag"]
    weak = await operator.put("/sources/board", json=second, headers={"If-Match": f"W/{tag}"})
    assert weak.status_code == 412
    several = await operator.put("/sources/board", json=second, headers={"If-Match": f'"x", {tag}'})
    assert (several.status_code, several.json()["rule"]["burst"]) == (200, 3)
    assert (await operator.put("/sources/board", json=first, headers={"If-Match": "*"})).status_code == 200


async def test_how_a_source_stands_moves_on_under_its_version(operator):
    tag = (await operator.put("/sources/board", json={"burst": 2, **WHY})).headers["etag"]
    await operator.post("/sources/board/pause", json={"until": "2099-01-01T00:00:00Z", **WHY})
    assert (await operator.get("/sources/board")).headers["etag"] == tag
    assert (await operator.put("/sources/board", json=WHY, headers={"If-Match": tag})).status_code == 200
