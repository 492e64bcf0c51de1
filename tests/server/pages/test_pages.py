"""What the pages say."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest

import dibs
from dibs.access.actions import create_user
from dibs.access.model import NewUser, by_system
from dibs.access.scopes import Role
from dibs.outside.cache.opening import make_cache
from dibs.outside.cache.tallying import Answer
from dibs.web.pages import files, shell
from tests.server.conftest import enqueue
from tests.server.pages.conftest import Outline

EVIL = "\"'><x-owned onerror=1></x-owned>{{7*7}}"


async def test_an_empty_house_says_what_to_do_next(reader):
    said = {
        "/": "Run a first job",
        "/jobs": "Run a first job",
        "/workers": "dibs worker --app",
        "/sources": "dibs sources declare",
        "/schedules": "app.schedule",
        "/gate": "Every gate is open",
        "/audit": "Nothing has happened yet",
        "/keys": "Make one with the scopes it needs",
    }
    for path, words in said.items():
        assert words in (await reader.get(path)).text, path


async def test_the_first_job_is_run_from_the_page(reader, drain):
    answer = await reader.post("/jobs/first", data={})
    assert answer.status_code == 303
    await drain()
    text = (await reader.get(answer.headers["location"])).text
    assert "succeeded" in text
    assert "&#34;pong&#34;: &#34;hello&#34;" in text


async def test_a_job_page_tells_the_whole_story(reader, operator, drain):
    job = await enqueue(operator, job_type="FAIL")
    await drain()
    text = (await reader.get(f"/jobs/{job['id']}")).text
    for words in ("Stored in queue default", "Attempt 1 began", "Attempt 1 errored", "Failed for good", "no luck"):
        assert words in text, words


async def test_a_failed_job_is_put_back_with_a_reason(reader, operator, drain):
    job = await enqueue(operator, job_type="FAIL")
    await drain()
    answer = await reader.post("/jobs/retry", data={"job_id": job["id"], "reason": "luck has turned"})
    assert answer.status_code == 303
    text = (await reader.get(answer.headers["location"])).text
    assert "Put back." in text
    assert "luck has turned" in text
    assert "pending" in text


@pytest.mark.parametrize("form", [{}, {"reason": ""}, {"reason": "  "}, {"reason": "x" * 5000}])
async def test_without_a_reason_nothing_is_changed(reader, operator, engine, form):
    job = await enqueue(operator, job_type="FAIL")
    answer = await reader.post("/jobs/cancel", data={"job_id": job["id"], **form})
    assert answer.status_code == 422
    assert "nothing was changed" in answer.text
    assert (await engine.find_job(job["id"])).state == "pending"


async def test_only_forms_are_taken(reader, operator):
    job = await enqueue(operator)
    answer = await reader.post("/jobs/cancel", json={"job_id": job["id"], "reason": "x"})
    assert answer.status_code == 422


async def test_the_list_is_narrowed_and_paged(reader, operator):
    await operator.post("/jobs/bulk", json={"jobs": [{"job_type": "PING", "queue": "mail"}] * 60})
    await enqueue(operator, queue="other")
    first = await reader.get("/jobs?queue=mail")
    following = re.search(r'href="(/jobs\?queue=mail&amp;cursor=[^"]+)"', first.text)
    assert first.text.count("<tr>") == 51
    assert following is not None
    second = await reader.get(following[1].replace("&amp;", "&"))
    assert second.text.count("<tr>") == 11
    assert "Newest" in second.text


@pytest.mark.parametrize("name", ["id", "unique_key", "job_type", "queue"])
async def test_a_word_is_searched_among_all_names(reader, operator, name):
    job = await enqueue(operator, queue="lost", unique_key="key-7")
    await enqueue(operator, job_type="FAIL")
    text = (await reader.get("/jobs", params={"q": job[name]})).text
    assert text.count("<tr>") == 2
    assert job["id"] in text


async def test_a_word_that_nobody_has_finds_nothing_and_says_so(reader, operator):
    await enqueue(operator)
    assert "No job fits" in (await reader.get("/jobs?q=zzz")).text


async def test_empty_fields_of_the_filter_mean_nothing(reader, operator):
    await enqueue(operator)
    answer = await reader.get("/jobs?q=&state=&job_type=&queue=&tenant=&source=")
    assert (answer.status_code, answer.text.count("<tr>")) == (200, 2)


async def test_counts_are_estimated_and_marked_so_when_jobs_are_many(reader, operator, monkeypatch):
    await operator.post("/jobs/bulk", json={"jobs": [{"job_type": "PING"}] * 30})
    assert '>all <span class="count">30</span>' in (await reader.get("/jobs")).text
    monkeypatch.setattr("dibs.server.observing.finding.MOST_COUNTED", 10)
    assert "About 30 jobs were ever stored (estimated" in (await reader.get("/jobs")).text


async def test_the_part_that_changes_comes_alone(reader, operator):
    await enqueue(operator)
    part = (await reader.get("/jobs", headers={"HX-Request": "true", "HX-Target": "live"})).text
    assert part.lstrip().startswith('<div id="live"')
    assert "<html" not in part
    whole = (await reader.get("/jobs")).text
    assert part.strip()[-300:].removesuffix("</div>").strip() in whole


async def test_a_gate_is_shut_and_opened(reader, engine):
    form = {"scope": "queue", "name": "mail", "mode": "drain", "minutes": "5", "reason": "repairs"}
    assert (await reader.post("/gate", data=form)).status_code == 303
    gate = (await (await engine.backend()).admission.list_gates())[0]
    assert (gate.key, gate.mode, gate.reason, gate.actor) == ("queue:mail", "drain", "repairs", "operator-key")
    assert gate.expires_at - gate.set_at <= timedelta(minutes=5, seconds=1)
    assert "repairs" in (await reader.get("/")).text
    await reader.post("/gate", data={"scope": "queue", "name": "mail", "mode": "open", "reason": "done"})
    assert await (await engine.backend()).admission.list_gates() == []


async def test_a_tenant_shuts_its_own_gate_and_no_other(acme_reader, engine):
    form = {"scope": "tenant", "mode": "drain", "reason": "a holiday"}
    await acme_reader.post("/gate", data=form)
    assert [gate.key for gate in await (await engine.backend()).admission.list_gates()] == ["tenant:acme"]
    for stolen in ({**form, "name": "globex"}, {**form, "scope": "global"}, {**form, "scope": "queue", "name": "q"}):
        assert (await acme_reader.post("/gate", data=stolen)).status_code == 403


async def test_sources_are_paused_and_resumed(reader, engine):
    backend = await engine.backend()
    await backend.sources.declare(dibs.SourceRule(name="a/b", daily_quota=5), actor="me", reason="why")
    await reader.post("/sources/pause", data={"name": "a/b", "minutes": "10", "reason": "they asked"})
    assert "paused" in (await reader.get("/sources")).text
    await reader.post("/sources/resume", data={"name": "a/b", "reason": "they said so"})
    assert ">well<" in (await reader.get("/sources")).text


async def test_sources_tell_how_often_the_cache_had_the_answer(reader, engine, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/cache.db"
    monkeypatch.setattr(engine, "settings", dibs.Settings(cache_url=url))
    backend = await engine.backend()
    await backend.sources.declare(dibs.SourceRule(name="a/b"), actor="me", reason="why")
    assert "not asked" in (await reader.get("/sources")).text
    cache = make_cache(engine.settings)
    for answer in (Answer.MISS, Answer.HIT, Answer.HIT, Answer.REVALIDATED):
        await cache.note("a/b", answer)
    await cache.close()
    text = (await reader.get("/sources")).text
    assert "3 of 4" in text
    assert "1 asked for again, unchanged" in text


async def test_schedules_are_laid_out_on_days_and_can_be_operated(reader, engine):
    backend = await engine.backend()
    timing = dibs.Interval(every=timedelta(hours=8))
    schedule = dibs.Schedule(name="three/times", tenant="acme", job_type="PING", timing=timing)
    await backend.schedules.create(schedule, actor="me", reason="why")
    text = (await reader.get("/schedules")).text
    assert text.count("\u00d73") >= 5
    which = {"tenant": "acme", "name": "three/times"}
    for act in ("pause", "resume", "run"):
        answer = await reader.post(f"/schedules/{act}", data={**which, "reason": act})
        assert answer.status_code == 303, answer.text
        one = (await reader.get(answer.headers["location"])).text
        assert ("paused" in one) is (act == "pause")
    assert "its job" in one


async def test_budgets_are_set_in_money(reader, engine):
    form = {"name": "acme", "max_running": "3", "weight": "2", "daily": "1.50", "reason": "a small customer"}
    assert (await reader.post("/tenants/budget", data=form)).status_code == 303
    rules = await (await engine.backend()).admission.list_rules()
    assert [(rule.max_running, rule.weight, rule.daily_budget_microcents) for rule in rules] == [(3, 2, 150_000_000)]
    assert "no limit" in (await reader.get("/tenants")).text


async def test_tenants_keys_and_users_are_made_on_their_pages(reader, stranger):
    assert (await reader.post("/tenants", data={"name": "initech", "reason": "new"})).status_code == 303
    made = await reader.post(
        "/keys", data={"name": "robot", "tenant": "initech", "scopes": ["jobs:read", "jobs:write"], "reason": "new"}
    )
    assert re.search(r"<code>dibs_[^<]{20,}</code>", made.text)
    user = {"name": "Bob", "role": "viewer", "password": "long enough, yes", "tenant": "initech", "reason": "new"}
    assert (await reader.post("/users", data=user)).status_code == 303
    text = (await reader.get("/users?tenant=initech")).text
    assert ">bob<" in text
    assert user["password"] not in text
    gone = await reader.post("/users/disable", data={"name": "bob", "tenant": "initech", "reason": "left"})
    assert gone.status_code == 303
    assert "disabled" in (await reader.get("/users?tenant=initech")).text


async def test_hostile_names_stay_text(reader, operator, engine, drain):
    job = await enqueue(operator, queue=EVIL, unique_key=EVIL, tenant=EVIL, input={"text": EVIL})
    await enqueue(operator, job_type=EVIL, source=EVIL)
    backend = await engine.backend()
    await backend.admission.set_rule(
        dibs.Gate(scope=dibs.GateScope.QUEUE, name=EVIL, mode=dibs.GateMode.DRAIN), actor="me", reason=EVIL
    )
    await backend.sources.declare(dibs.SourceRule(name=EVIL), actor=EVIL, reason=EVIL)
    timing = dibs.Interval(every=timedelta(hours=8))
    await backend.schedules.create(
        dibs.Schedule(name=EVIL, job_type=EVIL, timing=timing, input=EVIL), actor=EVIL, reason=EVIL
    )
    await drain()
    for path in (
        "/",
        "/jobs",
        f"/jobs/{job['id']}",
        "/sources",
        "/schedules",
        "/gate",
        "/audit",
        "/tenants",
        "/audit/seals",
    ):
        text = (await reader.get(path)).text
        outline = Outline(text)
        assert [tag for tag, given in outline.elements if tag == "x-owned" or "onerror" in given] == [], path
        assert "{{7*7}}" in text or "{{" not in text, path


async def test_where_nothing_was_built_the_pages_still_read(reader, tmp_path, monkeypatch):
    bare = files.StaticFiles((files.HERE / "static", tmp_path / "built"))
    monkeypatch.setattr(shell, "FILES", bare)
    outline = Outline((await reader.get("/jobs")).text)
    assert [tag for tag, _ in outline.elements if tag == "script"] == []
    assert len([1 for tag, given in outline.elements if tag == "link" and given["rel"] == "stylesheet"]) == 1


async def test_files_are_kept_for_ever_under_the_name_of_their_content(stranger):
    found = files.FILES.find("static/dibs.css")
    assert found is not None
    answer = await stranger.get(found.address)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    for wrong in (
        "/static/0000000000000000/static/dibs.css",
        "/static/x/static/../shell.py",
        "/static/x/..%2f/shell.py",
    ):
        assert (await stranger.get(wrong)).status_code == 404


async def test_the_sign_in_page_shows_sentences_of_ours_only(stranger):
    text = (await stranger.get("/sign-in?problem=sign_in_refused")).text
    assert "The name or the password is wrong" in text
    assert "evil" not in (await stranger.get("/sign-in?problem=evil")).text


async def test_what_the_house_does_by_itself_leaves_a_newcomer_where_they_begin(reader, operator, engine):
    backend = await engine.backend()
    timing = dibs.Interval(every=timedelta(minutes=1))
    await backend.schedules.create(
        dibs.Schedule(name="settle", job_type="PING", timing=timing, overlap=dibs.Overlap.SKIP),
        actor="me",
        reason="why",
    )
    await backend.schedules.run_now("settle", actor="me", reason="why")
    assert "Run a first job" in (await reader.get("/")).text
    await enqueue(operator)
    assert "Run a first job" not in (await reader.get("/")).text


async def test_what_fires_all_day_is_named_once_below_the_calendar(reader, engine):
    backend = await engine.backend()
    hourly = dibs.Schedule(name="hourly", job_type="PING", timing=dibs.Interval(every=timedelta(hours=1)))
    await backend.schedules.create(hourly, actor="me", reason="why")
    calendar, _, below = (await reader.get("/schedules")).text.partition('class="calendar"')[2].partition("</ol>")
    assert ">hourly</a>" not in calendar
    assert below.partition("</p>")[0].count(">hourly</a>") == 1


async def test_the_log_calls_people_by_their_names(reader, engine, directory):
    made = NewUser(tenant=None, name="grace", role=Role.OPERATOR, password="correct horse battery")
    user = await create_user(directory, made, by_system("test"))
    backend = await engine.backend()
    gate = dibs.Gate(scope=dibs.GateScope.QUEUE, name="mail", mode=dibs.GateMode.DRAIN)
    await backend.admission.set_rule(gate, actor=f"user:{user.id}", reason="repairs")
    for path in ("/audit", "/gate", "/"):
        assert f'<span title="user:{user.id}">grace</span>' in (await reader.get(path)).text, path


async def test_the_log_says_when_to_the_second_and_in_which_zone(reader, engine):
    backend = await engine.backend()
    gate = dibs.Gate(scope=dibs.GateScope.QUEUE, name="mail", mode=dibs.GateMode.DRAIN)
    await backend.admission.set_rule(gate, actor="me", reason="repairs")
    [entry] = (await backend.reader.list_audit(dibs.AuditFilter(action="GATE_SHUT"), dibs.PageRequest())).items
    assert f">{entry.at:%Y-%m-%d %H:%M:%S} UTC</span>" in (await reader.get("/audit")).text


async def test_a_tenant_is_not_told_how_people_of_the_installation_are_called(acme_reader, engine, directory):
    made = NewUser(tenant=None, name="hidden-name", role=Role.OPERATOR, password="correct horse battery")
    user = await create_user(directory, made, by_system("test"))
    backend = await engine.backend()
    gate = dibs.Gate(scope=dibs.GateScope.TENANT, name="acme", mode=dibs.GateMode.DRAIN)
    await backend.admission.set_rule(gate, actor=f"user:{user.id}", reason="repairs")
    text = (await acme_reader.get("/gate")).text
    assert user.id in text
    assert "hidden-name" not in text


async def test_states_are_tabs_that_keep_what_else_is_asked_for(reader, operator):
    await enqueue(operator, queue="mail")
    text = (await reader.get("/jobs?queue=mail")).text
    assert 'href="/jobs?queue=mail&amp;state=failed"' in text
    assert (
        '<a href="/jobs" aria-current="true">all <span class="count">1</span></a>' in (await reader.get("/jobs")).text
    )


async def test_a_job_leads_to_those_that_it_stored_and_to_its_schedule(reader, operator, engine):
    parent = await enqueue(operator)
    child = await engine.enqueue("PING", {}, parent_id=parent["id"])
    text = (await reader.get(f"/jobs/{parent['id']}")).text
    assert f'href="/jobs/{child.id}"' in text
    fired = await enqueue(operator, unique_key="schedule:nightly report")
    assert "/schedules/one?tenant=default&name=nightly%20report" in (await reader.get(f"/jobs/{fired['id']}")).text


async def test_a_mistaken_address_keeps_the_way_to_the_other_pages(reader, stranger):
    answer = await reader.get("/nowhere")
    assert answer.status_code == 404
    assert "There is no page here" in answer.text
    assert "/jobs" in Outline(answer.text).addresses()
    unknown = await stranger.get("/nowhere")
    assert (unknown.status_code, "/jobs" in Outline(unknown.text).addresses()) == (404, False)


async def test_a_refused_form_leads_back_to_its_page_and_nowhere_else(reader, operator):
    job = await enqueue(operator)
    form = {"job_id": job["id"], "reason": ""}
    came = {"Referer": f"http://localhost:8470/jobs/{job['id']}"}
    assert (
        f"/jobs/{job['id']}" in Outline((await reader.post("/jobs/cancel", data=form, headers=came)).text).addresses()
    )
    for strange in ("http://evil.example/trap", "http://localhost:8470//evil.example/trap"):
        assert "/trap" not in (await reader.post("/jobs/cancel", data=form, headers={"Referer": strange})).text


@pytest.mark.parametrize("referer", ["http://[", "http://[::1", "//["])
async def test_a_refused_form_is_refused_also_if_where_it_was_cannot_be_read(reader, stranger, referer):
    came = {"Referer": referer}
    assert (await reader.post("/jobs/cancel", data={"reason": ""}, headers=came)).status_code == 422
    assert (await stranger.put("/jobs", headers=came)).status_code == 405


@pytest.mark.parametrize("name", ["a/b", "ä/ö", "100%", "a?b", "%2F"])
async def test_a_job_has_its_page_whatever_it_is_called_and_strangers_are_led_to_it(reader, stranger, engine, name):
    await engine.enqueue("PING", {"text": "hello"}, id=name)
    at = f"/jobs/{quote(name, safe='')}"
    shown = await reader.get(at)
    assert (shown.status_code, at in Outline(shown.text).addresses()) == (200, True)
    assert (await reader.get(f"{at}?odd=1")).status_code == 422
    led = await stranger.get(at)
    assert (led.status_code, led.headers["location"]) == (303, f"/sign-in?next={quote(at, safe='')}")


async def test_successes_are_left_out_of_the_log_until_they_are_asked_for(reader, operator, drain):
    await enqueue(operator)
    await enqueue(operator, job_type="FAIL")
    await drain()
    text = (await reader.get("/audit")).text
    assert '<span class="mono">JOB_FAILED</span>' in text
    assert '<span class="mono">JOB_SUCCEEDED</span>' not in text
    assert "without=JOB_SUCCEEDED" in text
    for whole in ("/audit?view=everything", "/audit?action=JOB_SUCCEEDED"):
        assert '<span class="mono">JOB_SUCCEEDED</span>' in (await reader.get(whole)).text, whole


async def test_a_job_that_waits_behind_another_leads_to_it(reader, operator):
    first, second = [await enqueue(operator, source="ebay") for _ in range(2)]
    page = await reader.get(f"/jobs/{second['id']}")
    assert f"/jobs/{first['id']}" in Outline(page.text).addresses()
    [told, *_] = (await operator.get(f"/jobs/{second['id']}/why")).json()["reasons"]
    assert told["job_id"] == first["id"]


async def test_cells_that_say_nothing_are_marked_so_that_a_phone_leaves_them_out(reader, operator, drain):
    await enqueue(operator)
    assert (await reader.get("/jobs")).text.count('class="number nil"') == len(("failed attempts", "took"))
    await drain()
    assert (await reader.get("/jobs")).text.count('class="number nil"') == len(("failed attempts",))


async def test_amounts_say_what_they_are(reader):
    assert "1.00 is 100 cents" in (await reader.get("/tenants")).text


async def test_all_jobs_that_a_page_was_narrowed_down_to_are_put_back(reader, operator, drain):
    for queue in ("mail", "mail", "other"):
        await enqueue(operator, job_type="FAIL", queue=queue)
    await drain()
    text = (await reader.get("/jobs?state=failed&queue=mail")).text
    assert "Put back 2 failed jobs?" in text
    assert "Only those that fit: queue mail." in text
    assert "Put back 3 failed jobs?" in (await reader.get("/jobs?state=failed")).text
    for without in ("/jobs", "/jobs?state=succeeded", "/jobs?state=failed&queue=nowhere", "/jobs?queue=mail"):
        assert "move-all" not in (await reader.get(without)).text, without
    answer = await reader.post("/jobs/all/retry", data={"state": "failed", "queue": "mail", "reason": "back"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs?state=failed&queue=mail")
    assert "2 jobs are pending again." in (await reader.get("/jobs?state=failed&queue=mail")).text
    listed = [job["queue"] for job in (await operator.get("/jobs?state=failed")).json()["jobs"]]
    assert listed == ["other"]


async def test_a_word_that_was_searched_for_chooses_what_it_found(reader, operator):
    for queue in ("mail", "other"):
        await enqueue(operator, queue=queue)
    outline = Outline((await reader.get("/jobs?state=pending&q=mail")).text)
    sent = {given["name"]: given["value"] for tag, given in outline.elements if given.get("type") == "hidden"}
    assert sent == {"state": "pending", "q": "mail", "matched": "queue"}
    answer = await reader.post("/jobs/all/cancel", data={**sent, "reason": "enough"})
    assert answer.headers["location"] == "/jobs?state=pending&q=mail"
    assert [job["queue"] for job in (await operator.get("/jobs?state=pending")).json()["jobs"]] == ["other"]


@pytest.mark.parametrize(
    "form",
    [
        {"state": "pending"},
        {"reason": "enough"},
        {"state": "pending", "q": "mail", "reason": "enough"},
        {"state": "pending", "matched": "queue", "reason": "enough"},
        {"state": "pending", "queues": "mail", "reason": "enough"},
        {"state": "succeeded", "reason": "enough"},
        {"state": "pending", "matched": "queue", "q": "mail", "queue": "other", "reason": "enough"},
    ],
)
async def test_a_form_that_does_not_say_which_jobs_moves_none(reader, operator, form):
    await enqueue(operator)
    assert (await reader.post("/jobs/all/cancel", data=form)).status_code == 422
    assert len((await operator.get("/jobs?state=pending")).json()["jobs"]) == 1


async def test_a_tenants_operator_moves_the_tenants_jobs_only(acme_reader, acme, operator):
    await enqueue(acme)
    await enqueue(operator, tenant="globex")
    assert (await acme_reader.post("/jobs/all/cancel", data={"state": "pending", "reason": "x"})).status_code == 303
    assert [job["tenant"] for job in (await operator.get("/jobs?state=pending")).json()["jobs"]] == ["globex"]
