"""Every `dibs` command on a page exists, with the options that it is shown with."""

import re
import shlex
from typing import Any

import pytest
import typer.main

from dibs.cli.main import app
from tests.docs.pages import DOCS, HOUSE, read_blocks

PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(HOUSE.glob("*.md"))]
# Settings before a command, or a name for what it prints, are left out; so is where that goes.
_TYPED = re.compile(r"(?P<named>export \w+=\$\()?(?:\w+=\S+ )*(?P<command>dibs .*?)(?: > \S+)?(?(named)\))")


def find_commands(text: str) -> list[str]:
    """Give what is typed of `dibs` in a block."""
    parts = [part for line in text.splitlines() for part in line.split(" | ")]
    return [found["command"] for part in parts if (found := _TYPED.fullmatch(part))]


COMMANDS = sorted(
    {
        (page.relative_to(HOUSE).as_posix(), command)
        for page in PAGES
        for block in read_blocks(page)
        if block.language == "sh"
        for command in find_commands(block.text)
    }
)


def test_commands_are_found_behind_settings_and_names():
    text = (
        "A=1 dibs worker --app x:app\nexport KEY=$(dibs keys create --name 'a)')\ndibs stats > /tmp/x\npip install dibs"
    )
    assert find_commands(text) == ["dibs worker --app x:app", "dibs keys create --name 'a)'", "dibs stats"]


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_a_command_on_a_page_can_be_typed(page, line):
    words = shlex.split(line, comments=True)[1:]
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    assert command.make_context(command.name, words).command is command


@pytest.mark.parametrize(("page", "line"), [one for one in COMMANDS if one[1].startswith("dibs keys create ")])
def test_a_key_on_a_page_says_whose_it_is(page, line):
    assert {"--tenant", "--all-tenants"} & set(shlex.split(line)), "refused with: say whose it is"


def test_a_page_that_starts_it_on_a_folder_leads_its_other_commands_there():
    starting = {page for page, command in COMMANDS if command.startswith("dibs up")}
    keys = {page for page, command in COMMANDS if command.startswith("dibs keys create ")}
    assert starting & keys
    assert [page for page in starting & keys if "DIBS_DATA=" not in (HOUSE / page).read_text()] == []
