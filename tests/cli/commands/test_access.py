"""`dibs tenants`, `keys`, `users`, and the tables in `dibs db`."""

import sqlite3
from contextlib import closing

import pytest

from dibs.access.scopes import Scope
from tests.tables import WANTED

WHY = ("--reason", "new customer", "--actor", "ann")
SCOPES = ("--scope", "jobs:read", "--scope", "jobs:write")


@pytest.fixture
def ready(dibs):
    assert dibs("db", "migrate").code == 0
    return dibs


def test_both_stores_are_migrated_and_checked(dibs):
    refused = dibs("db", "check", "--json")
    assert (refused.code, refused.json["tables"]["is_usable"]) == (7, False)
    done = dibs("db", "migrate", "--json").json
    assert done["tables"]["applied"] == list(WANTED)
    assert done["is_usable"]
    assert dibs("db", "migrate").out.splitlines()[-1] == "tables: nothing to do"
    checked = dibs("db", "check", "--json")
    assert (checked.code, checked.json["tables"]["is_usable"]) == (0, True)


def test_tables_that_nobody_has_made_yet_are_told_and_no_fault(dibs, store):
    checked = dibs("db", "check")
    assert (checked.code, "not there yet" in checked.err, "dibs db migrate makes them" in checked.err) == (
        0,
        True,
        True,
    )
    as_json = dibs("db", "check", "--json")
    assert (as_json.code, as_json.json["is_usable"], as_json.json["tables"]["found"]) == (0, True, [])


def test_tables_that_lack_a_migration_are_refused(ready, room):
    with closing(sqlite3.connect(room / "jobs.db")) as connection, connection:
        connection.execute("DELETE FROM dibs_tables_versions WHERE version_num = ?", (WANTED[0],))
    refused = ready("db", "check")
    assert (refused.code, f"lack {WANTED[0]}" in refused.err, "Run dibs db migrate" in refused.err) == (7, True, True)


def test_a_store_in_memory_has_no_tables_to_migrate(dibs, room):
    assert dibs("db", "migrate", "--url", "memory://", "--json").json["tables"] is None
    assert list(room.iterdir()) == []


def test_tables_may_be_elsewhere(dibs, room, monkeypatch):
    monkeypatch.setenv("DIBS_TABLES_URL", f"sqlite:///{room}/elsewhere.db")
    dibs("db", "migrate")
    assert dibs("tenants", "create", "acme").code == 0
    assert (room / "elsewhere.db").exists()


def test_a_command_on_missing_tables_says_what_to_do(dibs, store):
    for command in (("keys", "list"), ("users", "list"), ("tenants", "list")):
        refused = dibs(*command)
        assert (refused.code, "dibs db migrate" in refused.err) == (7, True)


def test_a_key_is_printed_once_and_listed_without_its_secret(ready):
    made = ready("keys", "create", "--tenant", "acme", *SCOPES, "--expires", "90d", "--name", "robot", "--json", *WHY)
    assert (made.code, "the tenant acme is new" in made.err) == (0, True)
    secret = made.json["key"]
    assert secret.startswith("dibs_")
    assert (made.json["tenant"], made.json["scopes"]) == ("acme", ["jobs:read", "jobs:write"])
    [listed] = ready("keys", "list", "--json").json["keys"]
    assert (listed["id"], listed["hint"], listed["name"]) == (made.json["id"], secret[:11], "robot")
    for shown in (ready("keys", "list"), ready("keys", "list", "--tenant", "acme"), ready("audit", "list", "--json")):
        assert secret not in shown.out + shown.err
    assert secret[:11] in ready("keys", "list").out


def test_without_json_the_key_alone_is_on_stdout(ready):
    made = ready("keys", "create", "--all-tenants", *SCOPES)
    assert made.out.startswith("dibs_")
    assert len(made.out.split()) == 1


def test_a_key_is_rotated_and_revoked_by_its_id(ready):
    old = ready("keys", "create", "--tenant", "acme", *SCOPES, "--json").json
    new = ready("keys", "rotate", old["id"], "--overlap", "2h", "--json", *WHY).json
    assert new["replaces"] == old["id"]
    assert new["key"] != old["key"]
    assert ready("keys", "revoke", new["id"], "--json", *WHY).json["revoked_at"]
    assert "revoked" in ready("keys", "list").out
    assert ready("keys", "revoke", old["id"]).out.startswith("ended the key")
    assert ready("keys", "rotate", old["id"]).code == 2
    assert ready("keys", "revoke", "nonsense").code == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tenant", "acme", "--scope", "jobs:own"), "Scopes are"),
        (("--scope", "jobs:read"), "--all-tenants"),
        (("--tenant", "acme", "--all-tenants", "--scope", "jobs:read"), "--all-tenants"),
        (("--tenant", "*", "--scope", "jobs:read"), "is not a name"),
        (("--tenant", "acme", "--scope", "jobs:read", "--expires", "soon"), "not a duration"),
        (("--tenant", "acme", "--scope", "jobs:read", "--expires", "0s"), "makes no sense"),
    ],
)
def test_an_odd_key_is_refused(ready, arguments, words):
    refused = ready("keys", "create", *arguments)
    assert (refused.code, words in refused.err) == (2, True), refused
    assert ready("keys", "list", "--json").json["keys"] == []


def test_tenants_are_made_once_and_listed(ready):
    assert "No tenants yet" in ready("tenants", "list").out
    assert ready("tenants", "create", "acme", *WHY).code == 0
    assert ready("tenants", "create", "acme").code == 4
    assert ready("tenants", "create", "globex", "--json").json["tenant"]["name"] == "globex"
    assert [one["name"] for one in ready("tenants", "list", "--json").json["tenants"]] == ["acme", "globex"]
    assert "globex" in ready("tenants", "list").out


def test_users_are_made_disabled_and_given_passwords_from_stdin(ready):
    ready("tenants", "create", "acme")
    password = "correct horse battery"
    create = ("users", "create", "Ada", "--role", "operator", "--tenant", "acme")
    assert ready(*create, stdin="short\n").code == 2
    odd = ready(*create, stdin="correct \udcff battery\n")
    assert (odd.code, "is no text in utf-8" in odd.err) == (2, True)
    made = ready(*create, *WHY, stdin=f"{password}\n")
    assert (made.code, password in made.out + made.err) == (0, False)
    assert ready(*create, stdin=f"{password}\n").code == 4
    assert ready("users", "create", "root", "--role", "admin", "--all-tenants", stdin=f"{password}\n").code == 0
    assert ready("users", "password", "ada", stdin="quite another one\n").out == "set the password of the user ada\n"
    assert ready("users", "disable", "ADA", *WHY).code == 0
    users = {one["name"]: one for one in ready("users", "list", "--json").json["users"]}
    assert set(users) == {"ada", "root"}
    assert users["ada"]["disabled_at"]
    assert "disabled" in ready("users", "list", "--tenant", "acme").out
    assert ready("users", "disable", "nobody").code == 3


def test_what_is_done_is_in_the_audit_log(ready):
    key = ready("keys", "create", "--tenant", "acme", *SCOPES, "--json", *WHY).json
    ready("keys", "revoke", key["id"], *WHY)
    entries = ready("audit", "list", "--tenant", "acme", "--json").json["entries"]
    assert [one["action"] for one in entries] == ["KEY_REVOKED", "KEY_CREATED", "TENANT_CREATED"]
    assert {(one["actor"], one["reason"]) for one in entries} == {("ann", "new customer")}


def test_a_key_is_revoked_while_the_store_of_jobs_is_away(ready, monkeypatch, room):
    key = ready("keys", "create", "--tenant", "acme", *SCOPES, "--json").json
    monkeypatch.setenv("DIBS_TABLES_URL", "sqlite:///jobs.db")
    away = ready("keys", "revoke", key["id"], "--url", f"sqlite:///{room}/nothing.db", "--json")
    assert (away.code, "the audit log cannot be reached" in away.err) == (0, True)
    assert away.json["revoked_at"]
    ready("tenants", "create", "other")
    ready("keys", "create", "--tenant", "acme", *SCOPES)
    entries = ready("audit", "list", "--tenant", "acme", "--json").json["entries"]
    assert "KEY_REVOKED" in [one["action"] for one in entries]


def test_all_scopes_can_be_given(ready):
    scopes = [word for scope in Scope for word in ("--scope", scope)]
    assert len(ready("keys", "create", "--all-tenants", *scopes, "--json").json["scopes"]) == len(Scope)
