"""How the pages arrange what they say."""

import re
from datetime import UTC, datetime, timedelta

import pytest

import dibs
from dibs.access.principal import Principal
from dibs.access.scopes import Scope
from dibs.server.observing.sample import Sample
from dibs.server.pages.access.keys import group_scopes
from tests.server.conftest import enqueue
from tests.server.pages.conftest import PLACE, Outline, read_as


async def test_what_holds_a_job_back_is_told_once_with_the_way_there(reader, operator, engine):
    backend = await engine.backend()
    gate = dibs.Gate(scope=dibs.GateScope.QUEUE, name="mail", mode=dibs.GateMode.DRAIN)
    await backend.admission.set_rule(gate, actor="me", reason="no stamps")
    job = await enqueue(operator, queue="mail")
    text = (await reader.get(f"/jobs/{job['id']}")).text
    assert text.count("no stamps") == 1
    assert '<a href="/gate">Look at the gate</a>' in text


def test_scopes_of_a_key_stand_by_subject_each_verb_in_its_place():
    grouped = group_scopes({Scope.JOBS_READ, Scope.JOBS_OPERATE, Scope.KEYS_WRITE})
    assert grouped == {"jobs": ["read", None, "operate"], "keys": [None, "write", None]}
    assert sorted(
        f"{subject}:{verb}" for subject, verbs in group_scopes(set(Scope)).items() for verb in verbs if verb
    ) == sorted(Scope)


async def test_who_may_not_see_a_page_is_told_whom_to_ask_and_keeps_the_way_to_others(server, ring):
    scopes = frozenset({Scope.JOBS_READ, Scope.QUEUES_READ})
    ring.keys["victors"] = Principal(actor="user:1", tenant=None, scopes=scopes, kind="user", name="victor")
    async with read_as(server, "victors") as client:
        answer = await client.get("/keys")
    assert answer.status_code == 403
    assert "which victor lacks. Ask an admin for a role that has it." in answer.text
    assert {"/", "/jobs"} <= set(Outline(answer.text).addresses())
    assert "/keys" not in Outline(answer.text).addresses()


@pytest.mark.parametrize(("age", "said"), [(timedelta(hours=-1), False), (timedelta(minutes=2), True)])
async def test_counts_that_are_old_say_how_old_they_are(reader, server, monkeypatch, age, said):
    now = datetime.now(UTC)
    sample = Sample(at=now, seconds=2, ended={}, queues={}, tenants={}, counted_at=now - age)

    async def read():
        return (sample,)

    monkeypatch.setattr(server.state.chronicle, "read", read)
    text = (await reader.get("/")).text
    assert bool(re.search(r"pending or to be retried, counted \d+ min ago", text)) is said


async def test_an_admin_gives_a_user_another_password_on_the_page(reader, stranger):
    first, second = "correct horse battery", "wrong donkey accumulator"
    user = {"name": "bob", "role": "viewer", "password": first, "reason": "new here"}
    assert (await reader.post("/users", data=user)).status_code == 303
    assert "/users/password" in Outline((await reader.get("/users")).text).addresses()
    asked = {"name": "bob", "reason": "forgot it"}
    assert (await reader.post("/users/password", data={**asked, "password": "short"})).status_code == 422
    assert (await reader.post("/users/password", data={**asked, "password": second})).status_code == 303
    stranger.headers["Origin"] = PLACE
    tried = [
        (await stranger.post("/sign-in", json={"name": "bob", "password": password})).status_code
        for password in (first, second)
    ]
    assert tried == [401, 200]


async def test_a_shut_gate_leads_to_the_jobs_behind_it_and_says_what_running_ones_do(reader, operator, engine):
    backend = await engine.backend()
    gate = dibs.Gate(scope=dibs.GateScope.JOB_TYPE, name="MAIL & CO", mode=dibs.GateMode.CLOSED)
    await backend.admission.set_rule(gate, actor="me", reason="no stamps")
    behind = await enqueue(operator, job_type="MAIL & CO")
    other = await enqueue(operator)
    shown = (await reader.get("/gate")).text
    assert "running ones are handed back" in shown
    [address] = [one for one in Outline(shown).addresses() if one.startswith("/jobs?")]
    waiting = (await reader.get(address)).text
    assert (behind["id"] in waiting, other["id"] in waiting) == (True, False)


async def test_a_long_list_of_scopes_can_be_opened(reader):
    scopes = sorted(scope.value for scope in Scope)
    await reader.post("/keys", data={"name": "all", "scopes": scopes, "reason": "for looks"})
    cell = (await reader.get("/keys")).text.partition('data-label="Scopes"')[2].partition("</td>")[0]
    summary, _, rest = cell.partition("</summary>")
    assert "more" in summary
    assert all(scope in rest or scope in summary for scope in scopes)
