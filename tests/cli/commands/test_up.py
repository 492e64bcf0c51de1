"""`dibs up` and `dibs server`, as the programs that users start."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import dibs as product
from tests.cli.conftest import PROGRAM

PATIENCE = 60.0
EVERYWHERE = "0.0.0.0"  # noqa: S104 - for one test
HOUSE = Path(__file__).parents[3]


def make_key(room, **env: str) -> str:
    """Make a key beside the running server, as a script would."""
    command = [PROGRAM, "keys", "create", "--tenant", "acme", "--scope", "jobs:read", "--scope", "jobs:write", "--json"]
    given = {name: value for name, value in os.environ.items() if name != "DIBS_URL"} | env
    made = subprocess.run(command, cwd=room, env=given, capture_output=True, text=True, check=True)
    key: str = json.loads(made.stdout)["key"]
    return key


def wait_until_ready(process) -> str:
    line = process.stdout.readline()
    found = re.match(r"Ready: (http://127\.0\.0\.1:\d+) on ", line)
    assert found is not None, line + process.stderr.read()
    assert read_as_the_build_does(line) == found[1]
    return found[1]


def read_as_the_build_does(line: str) -> str:
    """Give the address that `.ci/run` finds in what was printed."""
    script = re.search(r"sed -n '(s\|\^Ready: [^']+)'", (HOUSE / ".ci" / "run").read_text())
    assert script is not None
    return subprocess.run(
        ["sed", "-n", script[1]], input=line, capture_output=True, text=True, check=True
    ).stdout.strip()


def stop(process) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0, process.stderr.read()


def test_one_process_serves_and_works(room, program):
    up = program("up", "--data", "data", "--port", "0", "--no-browser")
    url = wait_until_ready(up)
    with product.Client(url, make_key(room, DIBS_DATA="data")) as client:
        job = client.enqueue("PING", {"text": "hi"})
        assert job is not None
        assert client.wait_for(job.id, timeout=PATIENCE).output == {"pong": "hi"}
    stop(up)
    assert (room / "data" / "dibs.db").exists()


def test_the_first_start_prints_a_link_that_makes_the_first_admin_and_later_ones_print_none(room, program):
    up = program("up", "--data", "data", "--port", "0")
    url = wait_until_ready(up)
    link = re.match(r"Set up: (\S+) ", up.stdout.readline())
    assert link is not None
    assert link[1].startswith(f"{url}/setup/")
    with httpx.Client(base_url=url, headers={"Origin": url}, timeout=PATIENCE) as browser:
        assert "<h1>Sign in</h1>" in browser.get("/", headers={"Accept": "text/html"}, follow_redirects=True).text
        assert browser.get("/api/v1/jobs").status_code == 401
        made = browser.post(link[1], json={"name": "ada", "password": "correct horse battery"})
        assert made.json()["user"]["role"] == "admin"
        assert browser.get("/api/v1/workers").status_code == 200
    stop(up)
    up = program("up", "--data", "data", "--port", "0")
    wait_until_ready(up)
    stop(up)
    assert "Set up" not in up.stdout.read()


@pytest.mark.parametrize("command", [("up", "--data", "data"), ("server",)])
def test_whoever_has_a_public_url_is_told_where_it_listens_too(room, program, command):
    public = "https://dibs.example.com"
    server = program(*command, "--port", "0", "--public-url", f"{public}/")
    assert server.stdout.readline().startswith(f"Ready: {public} on sqlite:///")
    address = re.fullmatch(r"Listens on: (http://127\.0\.0\.1:\d+)\n", server.stdout.readline())
    assert address is not None
    assert server.stdout.readline().startswith(f"Set up: {public}/setup/")
    assert httpx.get(f"{address[1]}/health/live", timeout=PATIENCE).status_code == 200
    stop(server)


def test_whoever_listens_everywhere_is_given_a_link_that_lets_them_in(room, program):
    server = program("server", "--host", EVERYWHERE, "--port", "0")
    url = wait_until_ready(server)
    assert server.stdout.readline() == f"Listens on: {url.replace('127.0.0.1', EVERYWHERE)}\n"
    link = re.match(r"Set up: (\S+) ", server.stdout.readline())
    assert link is not None
    made = httpx.post(
        link[1], json={"name": "ada", "password": "correct horse battery"}, headers={"Origin": url}, timeout=PATIENCE
    )
    assert made.status_code == 200
    stop(server)


def test_the_jobs_and_the_keys_are_there_after_a_restart(room, program):
    up = program("up", "--data", "data", "--port", "0")
    url, key = wait_until_ready(up), make_key(room, DIBS_DATA="data")
    with product.Client(url, key) as client:
        job = client.enqueue("PING", delay=3600)
        assert job is not None
    stop(up)
    up = program("up", "--data", "data", "--port", "0")
    with product.Client(wait_until_ready(up), key) as client:
        assert client.get_job(job.id).state is product.State.PENDING
    stop(up)


def test_up_runs_the_tasks_of_an_app(shop, program):
    up = program("up", "--data", "data", "--port", "0", "--app", "shop")
    with product.Client(wait_until_ready(up), make_key(shop, DIBS_DATA="data")) as client:
        job = client.enqueue("GREET", {"name": "Ada"})
        assert job is not None
        assert client.wait_for(job.id, timeout=PATIENCE).output == {"greeting": "Hello, Ada"}
    stop(up)


def test_a_server_alone_stores_and_runs_nothing(room, program, store):
    server = program("server", "--port", "0")
    url = wait_until_ready(server)
    with product.Client(url, make_key(room, DIBS_URL=os.environ["DIBS_URL"])) as client:
        job = client.enqueue("PING")
        assert job is not None
    stop(server)

    async def read(backend):
        return (await backend.get_job(job.id)).state

    assert store(read) == "pending"


def test_a_revoked_key_is_dead_within_a_second_in_every_process(room, program):
    url = os.environ["DIBS_URL"]
    servers = [program("server", "--port", "0")]
    places = [wait_until_ready(servers[0])]
    servers.append(program("server", "--port", "0"))
    places.append(wait_until_ready(servers[1]))
    command = [PROGRAM, "keys", "create", "--tenant", "acme", "--scope", "jobs:read", "--scope", "keys:write", "--json"]
    made = json.loads(subprocess.run(command, cwd=room, capture_output=True, check=True).stdout)
    key = {"Authorization": f"Bearer {made['key']}"}
    with httpx.Client(headers=key, timeout=PATIENCE) as client:
        for place in places:
            assert client.get(f"{place}/api/v1/jobs").status_code == 200
        assert client.post(f"{places[0]}/api/v1/keys/{made['id']}/revoke", json={"reason": "leaked"}).status_code == 200
        revoked = time.monotonic()
        while any(client.get(f"{place}/api/v1/jobs").status_code == 200 for place in places):
            assert time.monotonic() - revoked < 1.0, f"still alive in {url}"
    for server in servers:
        stop(server)


def test_a_port_that_is_taken_is_told(room, program, run_program):
    up = program("up", "--data", "data", "--port", "0")
    port = wait_until_ready(up).rpartition(":")[2]
    refused = run_program("up", "--data", "other", "--port", port)
    assert refused.code == 2
    assert "Is Dibs running there already? Choose another port with --port" in refused.err
    stop(up)


def test_a_folder_that_cannot_be_made_is_told(room, run_program):
    (room / "file").write_text("no folder")
    refused = run_program("up", "--data", "file/data", "--port", "0")
    assert refused.code == 2
    assert "Choose one that you may write to with --data" in refused.err


@pytest.mark.parametrize(
    ("given", "level"), [([], "warning"), (["--demo"], "error"), (["--log-level", "info"], "info")]
)
def test_jobs_of_the_demo_that_fail_do_not_push_the_link_out_of_sight(dibs, room, monkeypatch, given, level):
    said: list[str] = []
    monkeypatch.setattr("dibs.cli.commands.server.set_up_logs", said.append)
    monkeypatch.setattr("dibs.cli.commands.server._serve", lambda *_, **__: 0)
    assert dibs("up", "--data", "data", *given).code == 0
    assert said == [level]


def test_the_demo_has_a_folder_of_its_own(dibs, room, monkeypatch):
    monkeypatch.delenv("DIBS_URL", raising=False)
    monkeypatch.setattr("dibs.cli.commands.server._serve", lambda *_, **__: 0)
    assert dibs("up", "--demo").code == 0
    assert [made.name for made in room.iterdir()] == ["dibs-demo"]
    assert dibs("up").code == 0
    assert {made.name for made in room.iterdir()} == {"dibs-demo", "dibs-data"}


def test_without_the_extra_the_command_to_install_it_is_told(room):
    # In a process of its own: modules taken away and imported again here would be other ones for all tests after it.
    code = "import sys; sys.modules['uvicorn'] = None; from dibs.cli.main import main; main(['up', '--data', 'data'])"
    told = subprocess.run([sys.executable, "-c", code], cwd=room, capture_output=True, text=True, check=False)
    assert (told.returncode, "pip install 'dibs[server]'" in told.stderr) == (8, True)


def test_without_httpx_the_client_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(product.MissingExtra, match=r"dibs\[client\]"):
        product.Client("http://dibs.test", "k")
