"""The agent of the examples applies on a site of its own, once."""

import asyncio
import json
import os
import shutil
import subprocess
import sys

import pytest

from dibs.apps.postings.office import Office
from dibs.storage.tables import Tables
from tests.apps.postings.conftest import find, keep, make_posting
from tests.apps.postings.flow.conftest import House, start
from tests.examples.programs import EXAMPLES
from tests.server.keys import OPERATOR
from tests.tables import migrate

pytestmark = pytest.mark.system
FOLDER = EXAMPLES / "apply_agent"
ANSWERS = {"Full name": "Ada Lovelace", "Years of experience": "5", "Do you require a visa?": "no", "Shoe size": "38"}
SENT = {"name": "Ada Lovelace", "years": "5", "visa": "no"}


class Career:
    """The site, a Dibs that knows its posting, and agents."""

    def __init__(self, folder, *flags):
        self.url = f"sqlite:///{folder}/tables.db"
        self.site = start([sys.executable, str(FOLDER / "careers.py"), *flags])
        self._keep(self.site.stdout.readline().strip())
        self.house = House(self.url)
        self._answers = folder / "answers.json"
        self._answers.write_text(json.dumps(ANSWERS))

    def _keep(self, apply_url):
        asyncio.run(migrate(self.url))
        self.on_office(lambda office: keep(office, make_posting(apply_url=apply_url)))

    def on_office(self, ask):
        async def do():
            async with Tables.at(self.url) as tables:
                return await ask(Office(tables))

        return asyncio.run(do())

    def run_agent(self):
        chromium = os.environ.get("DIBS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        assert chromium, "no Chromium: apt-get install chromium, or set DIBS_CHROMIUM"
        command = [sys.executable, str(FOLDER / "main.py"), self.house.place, OPERATOR, "ramp", "12345"]
        env = {**os.environ, "CHROMIUM": chromium, "CHROMIUM_FLAGS": "--no-sandbox"}
        done = subprocess.run(
            [*command, str(self._answers)], env=env, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def close(self):
        """End the site and the server, and give what the site has got."""
        self.house.close()
        self.site.terminate()
        got, _ = self.site.communicate(timeout=60)
        return [json.loads(line) for line in got.splitlines()]


def test_an_agent_applies_once_and_the_next_is_turned_away(tmp_path):
    career = Career(tmp_path)
    try:
        assert career.run_agent() == "success"
        assert "was applied to" in career.run_agent()
        tracked = career.on_office(find)
    finally:
        got = career.close()
    assert (got, tracked.state) == ([SENT], "applied")


def test_an_agent_that_gets_no_confirmation_leaves_a_hold_and_nobody_applies_again(tmp_path):
    career = Career(tmp_path, "--mute")
    try:
        assert career.run_agent() == "unknown"
        assert "Somebody has to find out first" in career.run_agent()
        tracked = career.on_office(find)
    finally:
        got = career.close()
    assert (got, tracked.is_held) == ([SENT], True)
