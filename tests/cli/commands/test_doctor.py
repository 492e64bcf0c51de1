"""`dibs doctor`, as the program that users start."""

import asyncio
from datetime import timedelta

import pytest

from dibs.assembly import open_backend
from dibs.engine.job import Job
from dibs.testing.servers import EtcdCluster, EtcdServer
from dibs.testing.servers.ports import find_free_port

GENERIC = ["schema", "clock", "notices", "durability", "lapsed jobs", "untaken jobs", "quarantine"]


def find(done, topic: str):
    return next(finding for finding in done.json["findings"] if finding["topic"] == topic)


def test_a_sound_store_gets_a_clean_bill(run_program, store, room):
    done = run_program("doctor", "--url", "sqlite:///jobs.db")
    assert done.code == 0, done
    assert "✓  schema" in done.out
    assert "0 problems, 0 warnings · sqlite:///jobs.db" in done.out


def test_a_store_without_schema_is_a_problem_and_is_left_alone(run_program, room):
    done = run_program("doctor")
    assert done.code == 1
    assert "✗  schema" in done.out
    assert "→ Run dibs db migrate" in done.out
    assert list(room.iterdir()) == []


def test_whoever_named_a_store_is_told_to_migrate_that_one(dibs, room):
    told = find(dibs("doctor", "--url", "sqlite:///other.db", "--json"), "schema")
    assert told["advice"] == "Run dibs db migrate --url sqlite:///other.db."
    assert find(dibs("doctor", "--json"), "schema")["advice"] == "Run dibs db migrate."


def test_a_store_in_memory_is_refused_as_everywhere(dibs):
    done = dibs("doctor", "--url", "memory://")
    assert (done.code, "memory of one process" in done.err) == (2, True)


def test_documents_are_looked_after_without_a_schema_too(dibs, room):
    topics = [finding["topic"] for finding in dibs("doctor", "--json").json["findings"]]
    assert topics[:3] == ["schema", "documents", "text recognition"]


def test_the_findings_as_json(run_program, store):
    done = run_program("doctor", "--json", "--url", "sqlite:///jobs.db")
    assert [finding["topic"] for finding in done.json["findings"]][: len(GENERIC)] == GENERIC
    assert done.json["worst"] == "ok"
    assert set(done.json["findings"][0]) == {"topic", "severity", "message", "advice"}


def test_a_warning_does_not_fail(run_program, store):
    done = run_program("doctor", "--json", "--url", "sqlite:///jobs.db?synchronous=normal")
    assert (done.code, done.json["worst"]) == (0, "warning")


def test_on_a_terminal_everything_fits(terminal, store):
    shown = terminal("doctor").finish().replace("\r", "")
    assert "syncing" in shown
    plain = "".join(part.partition("m")[2] if at else part for at, part in enumerate(shown.split("\x1b[")))
    assert max(len(line) for line in plain.splitlines()) <= 100


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_servers_are_looked_over_too(request, run_program, kind):
    url = request.getfixturevalue(f"{kind}_url")
    run_program("db", "migrate", "--url", url)
    done = run_program("doctor", "--url", url, "--json")
    assert find(done, "schema")["severity"] == "ok"
    assert find(done, "notices")["severity"] == "ok"
    own = "syncing" if kind == "postgres" else "persistence"
    # The test servers trade safety for speed, and the doctor says so.
    assert find(done, own)["severity"] in {"problem", "warning"}
    assert find(done, own)["advice"]


def test_a_postgres_without_notices_is_told(dibs, postgres_url, monkeypatch):
    monkeypatch.setattr("dibs.cli.checks.LONGEST_NOTICE", timedelta(milliseconds=100))
    dibs("db", "migrate", "--url", postgres_url)
    found = find(dibs("doctor", "--url", f"{postgres_url}?notices=off", "--json"), "notices")
    assert found["severity"] == "warning"
    assert "notices=off" in found["advice"]


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_commands_work_on_servers_as_on_files(request, dibs, run_program, kind, shop):
    url = request.getfixturevalue(f"{kind}_url")
    url += "?schema=dibs_cli" if kind == "postgres" else "?namespace=dibs-cli"
    dibs("db", "migrate", "--url", url)
    job_id = dibs("enqueue", "GREET", '{"name": "Ada"}', "--url", url).out.strip()
    assert run_program("worker", "--app", "shop:app", "--url", url, "--until-drained").code == 0
    shown = dibs("jobs", "show", job_id, "--url", url, "--json").json
    assert shown["job"]["output"] == {"greeting": "Hello, Ada"}
    assert [entry["action"] for entry in shown["audit"]] == ["JOB_SUCCEEDED"]
    assert dibs("stats", "--url", url, "--json").json["states"]["succeeded"] >= 1


def test_due_jobs_that_nobody_takes_fail_the_examination(run_program, room):
    async def store_old_job():
        async with await open_backend("sqlite:///jobs.db") as backend:
            long_ago = (await backend.reader.now()).replace(year=2020)
            await backend.store_job(Job(job_type="MAIL", run_at=long_ago))

    asyncio.run(store_old_job())
    done = run_program("doctor", "--url", "sqlite:///jobs.db")
    assert done.code == 1
    assert "1 job due for a while, and none of 0 live workers takes them: 1 MAIL in queue default" in done.out


def test_leases_on_an_etcd_that_is_down_are_a_problem_beside_a_sound_store(run_program, store, monkeypatch):
    monkeypatch.setenv("DIBS_LEASES_URL", f"etcd://ann:s3cret@127.0.0.1:{find_free_port()}/locks")
    done = run_program("doctor", "--json", "--url", "sqlite:///jobs.db")
    assert done.code == 1
    found = find(done, "leases")
    assert found["severity"] == "problem"
    assert "below /locks, and no member answers" in found["message"]
    assert "DIBS_LEASES_URL" in found["advice"]
    assert "s3cret" not in done.out
    assert find(done, "schema")["severity"] == "ok"


@pytest.mark.system
def test_leases_on_etcd_are_named_with_what_may_fail(run_program, store, monkeypatch):
    with EtcdServer() as server:
        missing = f"127.0.0.1:{find_free_port()}"
        monkeypatch.setenv("DIBS_LEASES_URL", server.url)
        done = run_program("doctor", "--json", "--url", "sqlite:///jobs.db")
        assert done.code == 0
        assert (
            f"named leases are on etcd at {server.address}, below /dibs: version 3" in find(done, "leases")["message"]
        )
        assert find(done, "etcd alarms")["severity"] == "ok"
        assert find(done, "etcd clocks")["severity"] == "ok"
        assert find(done, "etcd members")["severity"] == "warning"
        monkeypatch.setenv("DIBS_LEASES_URL", f"{server.url},{missing}")
        found = find(run_program("doctor", "--json", "--url", "sqlite:///jobs.db"), "leases")
        assert (found["severity"], f"1 of 2 do not answer: {missing}" in found["message"]) == ("warning", True)


@pytest.mark.system
def test_three_members_may_lose_one(run_program, store, monkeypatch):
    with EtcdCluster() as cluster:
        monkeypatch.setenv("DIBS_LEASES_URL", cluster.url)
        done = run_program("doctor", "--json", "--url", "sqlite:///jobs.db")
    assert (done.code, find(done, "etcd members")["message"]) == (0, "3, of which 1 may fail")
