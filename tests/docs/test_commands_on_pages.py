"""Every `dibs` command on a page exists, with the options that it is shown with."""

import shlex
from typing import Any

import pytest
import typer.main

from dibs.cli.main import app
from tests.docs.pages import DOCS, HOUSE, read_blocks

PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(HOUSE.glob("*.md"))]
COMMANDS = sorted(
    {
        (page.relative_to(HOUSE).as_posix(), command)
        for page in PAGES
        for block in read_blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
        for command in line.split(" | ")
        if command.startswith("dibs ")
    }
)


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_a_command_on_a_page_can_be_typed(page, line):
    words = shlex.split(line, comments=True)[1:]
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context(command.name, words)


@pytest.mark.parametrize(("page", "line"), [one for one in COMMANDS if one[1].startswith("dibs keys create ")])
def test_a_key_on_a_page_says_whose_it_is(page, line):
    assert {"--tenant", "--all-tenants"} & set(shlex.split(line)), "refused with: say whose it is"


def test_a_page_that_starts_it_on_a_folder_leads_its_other_commands_there():
    pages = {page.name: text for page in PAGES if "dibs up --data /" in (text := page.read_text())}
    assert pages
    assert [name for name, text in pages.items() if "dibs keys create" in text and "DIBS_DATA=" not in text] == []
