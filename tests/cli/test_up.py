"""`dibs up` and `dibs server`, as the programs that users start."""

import re
import signal
import stat
import sys

import pytest

import dibs as product
from dibs.server.bootstrap import find_key

PATIENCE = 60.0


def wait_until_ready(process) -> str:
    line = process.stdout.readline()
    found = re.match(r"Ready: (http://127\.0\.0\.1:\d+)/api/v1 on ", line)
    assert found is not None, line + process.stderr.read()
    return found[1]


def stop(process) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0, process.stderr.read()


def test_one_process_serves_and_works(room, program):
    up = program("up", "--data", "data", "--port", "0", "--no-browser")
    url = wait_until_ready(up)
    with product.Client(url, find_key(room / "data")) as client:
        job = client.enqueue("PING", {"text": "hi"})
        assert job is not None
        assert client.wait_for(job.id, timeout=PATIENCE).output == {"pong": "hi"}
    stop(up)
    assert (room / "data" / "dibs.db").exists()


def test_the_jobs_and_the_key_are_there_after_a_restart(room, program):
    up = program("up", "--data", "data", "--port", "0")
    with product.Client(wait_until_ready(up), find_key(room / "data")) as client:
        job = client.enqueue("PING", delay=3600)
        assert job is not None
    stop(up)
    up = program("up", "--data", "data", "--port", "0")
    with product.Client(wait_until_ready(up), find_key(room / "data")) as client:
        assert client.get_job(job.id).state is product.State.PENDING
    stop(up)


def test_up_runs_the_tasks_of_an_app(shop, program):
    up = program("up", "--data", "data", "--port", "0", "--app", "shop")
    with product.Client(wait_until_ready(up), find_key(shop / "data")) as client:
        job = client.enqueue("GREET", {"name": "Ada"})
        assert job is not None
        assert client.wait_for(job.id, timeout=PATIENCE).output == {"greeting": "Hello, Ada"}
    stop(up)


def test_a_server_alone_stores_and_runs_nothing(room, program, store):
    server = program("server", "--port", "0", "--data", "data")
    with product.Client(wait_until_ready(server), find_key(room / "data")) as client:
        job = client.enqueue("PING")
        assert job is not None
    stop(server)

    async def read(backend):
        return (await backend.get_job(job.id)).state

    assert store(read) == "pending"


def test_a_port_that_is_taken_is_told(room, program, run_program):
    up = program("up", "--data", "data", "--port", "0")
    port = wait_until_ready(up).rpartition(":")[2]
    refused = run_program("up", "--data", "other", "--port", port)
    assert refused.code == 2
    assert "Choose another" in refused.err
    stop(up)


def test_without_the_extra_the_command_to_install_it_is_told(dibs, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [name for name in sys.modules if name.startswith("dibs.server.")]:
        monkeypatch.delitem(sys.modules, name)
    told = dibs("up", "--data", "data")
    assert (told.code, "pip install 'dibs[server]'" in told.err) == (8, True)


def test_without_httpx_the_client_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(product.MissingExtra, match=r"dibs\[client\]"):
        product.Client("http://dibs.test", "k")


def test_only_its_owner_reads_the_first_key(tmp_path):
    key = find_key(tmp_path / "data")
    assert find_key(tmp_path / "data") == key
    assert stat.S_IMODE((tmp_path / "data" / "bootstrap.key").stat().st_mode) == 0o600
    assert len(key) > 40
    assert key not in repr(key)
