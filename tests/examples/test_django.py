"""A Django project over real HTTP, its tasks run by a worker in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.programs import Site

HOUSE = Path(__file__).parents[2]


@pytest.fixture
def site(tmp_path):
    file = tmp_path / "shop.db"
    with Site("django_app", web="main:application", worker="main:jobs", SHOP_DB=str(file)) as site:
        site.dibs("db", "migrate", "--url", f"sqlite:///{file}")
        yield site


def test_a_receipt_is_enqueued_sent_and_read(site):
    answer = site.client.post("/orders", data={"customer": "Ada"})
    assert answer.status_code == 202
    receipt = answer.json()
    assert receipt["status"] == "READY"
    site.work()
    found = site.client.get(f"/receipts/{receipt['id']}").json()
    assert found == {"status": "SUCCESSFUL", "mail": "Thanks, Ada"}


def test_an_unknown_receipt_is_not_found(site):
    assert site.client.get("/receipts/nothing").status_code == 404


@pytest.mark.parametrize(
    "scene",
    [
        "commit_stores_the_task",
        "rollback_takes_the_task_along",
        "a_failing_task_tells_its_error",
        "a_task_may_take_its_context",
        "an_async_task_runs",
        "a_task_may_wait",
        "only_tasks_are_run",
    ],
)
def test_the_backend_keeps_its_word(scene, tmp_path):
    """Django is set up once a process, so each scene has one of its own."""
    command = [sys.executable, "-m", "tests.examples.django_scenes.scenes", scene]
    env = {**os.environ, "SHOP_DB": f"{tmp_path}/shop.db"}
    done = subprocess.run(command, cwd=HOUSE, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
