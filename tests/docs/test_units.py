"""Unit files on pages are what systemd takes, and start commands that exist."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest
import typer.main

from dibs.cli.main import app
from dibs.services.resumes.uploads.routes.doors import find_uploads
from dibs.web.entrance.intake import IntakeLimits
from tests.docs.pages import DOCS, read_blocks

UNITS = [
    (page.stem, block.text)
    for page in sorted(DOCS.rglob("*.md"))
    for block in read_blocks(page)
    if block.language == "ini"
]
SECTIONS = {"Unit", "Service", "Install"}


def read_command(unit: str) -> str:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(unit)
    assert set(parser.sections()) == SECTIONS
    return parser["Service"]["ExecStart"]


def test_there_are_units_to_look_at():
    assert {page for page, _ in UNITS} == {"deploy-the-server", "run-workers-under-systemd"}


@pytest.mark.parametrize(("page", "unit"), UNITS, ids=[page for page, _ in UNITS])
def test_the_command_of_a_unit_exists_with_its_options(page, unit):
    program, *words = shlex.split(read_command(unit))
    assert program.endswith("/bin/dibs")
    command: Any = typer.main.get_command(app)
    command = command.commands[words.pop(0)]
    command.make_context(command.name, words)


@pytest.mark.parametrize(("page", "unit"), UNITS, ids=[page for page, _ in UNITS])
def test_systemd_takes_the_unit_without_a_word(page, unit, tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        return  # Nothing to ask on this machine: the names of sections and the command are looked at above.
    file = tmp_path / f"{page}.service"
    # It looks whether the program is there, which on the reader's machine it is.
    file.write_text(unit.replace(shlex.split(read_command(unit))[0], sys.executable))
    done = subprocess.run([analyze, "verify", str(file)], capture_output=True, text=True, check=False, timeout=60)
    assert [line for line in done.stderr.splitlines() if file.name in line] == []
    assert done.returncode == 0, done.stderr


def test_the_proxy_on_the_page_takes_what_the_server_does():
    [proxy] = [
        block.text for block in read_blocks(DOCS / "how-to" / "deploy-the-server.md") if block.language == "nginx"
    ]
    told = re.search(r"client_max_body_size (\d+)m;", proxy)
    assert told is not None
    largest = max(limits.body_bytes for limits in (IntakeLimits(), *find_uploads().values()))
    assert int(told[1]) * 1024 * 1024 >= largest
