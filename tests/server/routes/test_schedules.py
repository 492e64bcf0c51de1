"""Schedules over HTTP."""

BODY = {"job_type": "PING", "timing": {"type": "cron", "expression": "0 3 * * *", "zone": "Europe/Berlin"}}
BODY = {**BODY, "reason": "nightly"}
WHY = {"reason": "because"}


async def test_a_schedule_is_created_read_changed_and_removed_by_version(acme):
    created = await acme.put("/schedules/nightly", json=BODY)
    assert (created.status_code, created.headers["etag"]) == (201, '"v1"')
    read = await acme.get("/schedules/nightly")
    assert read.json()["timing"] == {"type": "cron", "expression": "0 3 * * *", "zone": "Europe/Berlin"}
    changed = await acme.put("/schedules/nightly", json={**BODY, "priority": 5}, headers={"If-Match": '"v1"'})
    assert (changed.status_code, changed.headers["etag"], changed.json()["priority"]) == (200, '"v2"', 5)
    removed = await acme.delete("/schedules/nightly", params=WHY, headers={"If-Match": '"v2"'})
    assert removed.status_code == 204
    assert (await acme.get("/schedules/nightly")).status_code == 404


async def test_a_change_that_somebody_else_has_overtaken_is_refused(acme):
    await acme.put("/schedules/nightly", json=BODY)
    await acme.post("/schedules/nightly/pause", json=WHY)
    late = await acme.put("/schedules/nightly", json={**BODY, "priority": 5}, headers={"If-Match": '"v1"'})
    assert (late.status_code, late.json()["code"]) == (412, "version_moved")
    removed = await acme.delete("/schedules/nightly", params=WHY, headers={"If-Match": '"v1"'})
    assert removed.status_code == 412
    read = (await acme.get("/schedules/nightly")).json()
    assert (read["priority"], read["paused"]) == (0, True)


async def test_a_change_must_name_its_version(acme):
    await acme.put("/schedules/nightly", json=BODY)
    blind = await acme.put("/schedules/nightly", json=BODY)
    assert (blind.status_code, blind.json()["code"]) == (428, "version_needed")
    missing = await acme.put("/schedules/other", json=BODY, headers={"If-Match": '"v1"'})
    assert missing.status_code == 404


async def test_a_schedule_fires_by_hand_and_tells_its_fires_and_next_instants(acme):
    await acme.put("/schedules/often", json={**BODY, "timing": {"type": "interval", "every_seconds": 60}})
    verdict = (await acme.post("/schedules/often/run", json=WHY)).json()
    [fire] = verdict["fires"]
    assert (await acme.get(f"/jobs/{fire['job_id']}")).json()["job_type"] == "PING"
    assert len((await acme.get("/schedules/often/fires")).json()["fires"]) == 1
    assert len((await acme.get("/schedules/often/preview", params={"count": 3})).json()["instants"]) == 3
    resumed = await acme.post("/schedules/often/resume", json=WHY)
    assert resumed.json()["paused"] is False


async def test_a_backfill_fires_past_instants(acme):
    await acme.put("/schedules/nightly", json=BODY)
    span = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-04T00:00:00Z"}
    filled = await acme.post("/schedules/nightly/backfill", json={**span, **WHY})
    assert len(filled.json()["fires"]) == 3
    refused = await acme.post("/schedules/nightly/backfill", json={**span, **WHY, "limit": 1})
    assert refused.status_code in (200, 422)


async def test_schedules_are_listed_in_pages_by_name(acme, operator):
    for name in "bac":
        made = await acme.put(f"/schedules/{name}", json=BODY)
        assert made.status_code == 201, made.text
    first = (await acme.get("/schedules", params={"limit": 2})).json()
    second = (await acme.get("/schedules", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    names = [one["name"] for one in first["schedules"] + second["schedules"]]
    assert (names, second["next_cursor"]) == (["a", "b", "c"], None)
    everybody = (await operator.get("/schedules")).json()["schedules"]
    assert {one["tenant"] for one in everybody} == {"acme"}


async def test_timing_that_would_never_fire_is_refused(acme):
    never = {"type": "cron", "expression": "0 0 30 2 *"}
    refused = await acme.put("/schedules/never", json={**BODY, "timing": never})
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_input")


def add_crawl(engine):
    @engine.task("CRAWL", queue="crawls", source="ebay", concurrency_key="site:{site}", max_cost=3)
    async def crawl(site: str = "a") -> None: ...


GOVERNED = ("queue", "source", "concurrency_key", "max_cost_cents")


async def test_a_schedule_has_the_settings_of_its_task_where_it_says_nothing_else(acme, engine):
    add_crawl(engine)
    body = {**BODY, "job_type": "CRAWL"}
    made = (await acme.put("/schedules/crawl", json=body)).json()
    assert [made[name] for name in GOVERNED] == ["crawls", "ebay", "site:a", 3]
    said = {"queue": "slow", "source": "pcgs", "concurrency_key": "k", "max_cost_cents": 0.5}
    changed = await acme.put("/schedules/crawl", json={**body, **said}, headers={"If-Match": '"v1"'})
    assert [changed.json()[name] for name in GOVERNED] == list(said.values())
    refused = await acme.put("/schedules/other", json={**body, "input": [1]})
    assert refused.status_code == 422


async def test_a_schedule_of_a_task_that_the_server_does_not_know_is_governed_as_it_says(acme, engine):
    said = {"source": "pcgs", "concurrency_key": "k", "max_cost_cents": 0.5}
    made = await acme.put("/schedules/x", json={**BODY, "job_type": "ELSEWHERE", **said})
    assert [made.json()[name] for name in GOVERNED] == ["default", *said.values()]
    verdict = (await acme.post("/schedules/x/run", json=WHY)).json()
    job = await (await engine.backend()).get_job(verdict["fires"][0]["job_id"])
    assert (job.source, job.concurrency_key, job.max_cost_microcents) == ("pcgs", "k", 500_000)


async def test_jobs_stored_over_http_have_what_they_cost_at_most_and_keys_with_defaults(acme, engine):
    add_crawl(engine)
    one = (await acme.post("/jobs", json={"job_type": "ELSEWHERE", "max_cost_cents": 1.5})).json()["job"]
    many = (await acme.post("/jobs/bulk", json={"jobs": [{"job_type": "CRAWL", "max_cost_cents": 2}]})).json()["jobs"]
    backend = await engine.backend()
    stored = [await backend.get_job(job["id"]) for job in (one, *many)]
    assert [(job.max_cost_microcents, job.concurrency_key) for job in stored] == [
        (1_500_000, None),
        (2_000_000, "site:a"),
    ]
