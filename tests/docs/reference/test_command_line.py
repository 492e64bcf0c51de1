"""Every command, option, exit code, check and field of the command line is documented, or the build fails."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from dibs.access.model import ApiKey, Tenant, User
from dibs.cli.exits import Exit
from dibs.cli.main import app
from dibs.cli.printing.shapes import JOB_FIELDS
from dibs.engine.job import Attempt
from dibs.engine.schedules.schedule import Cron, Fire, Interval, Schedule
from dibs.engine.store.moves import CancelVerdict, RetryVerdict
from dibs.engine.store.protocols import WorkerCard
from dibs.engine.store.reading import AuditEntry
from dibs.torture.scenarios.catalogue import SCENARIOS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "command-line.md").read_text()
SECTIONS = dict(re.findall(r"^## (dibs [a-z -]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
FIELDS = {*JOB_FIELDS, *Attempt.__struct_fields__, *WorkerCard.__struct_fields__, *AuditEntry.__struct_fields__}
FIELDS |= {
    name for record in (Cron, Fire, Interval, Schedule, ApiKey, Tenant, User) for name in record.__struct_fields__
}


def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, child in getattr(command, "commands", {}).items():
        yield from walk(child, f"{path} {name}")
    if not hasattr(command, "commands"):
        yield path, command


ROOT: Any = typer.main.get_command(app)
COMMANDS = dict(walk(ROOT, "dibs"))
OPTIONS = [
    (path, option)
    for path, command in COMMANDS.items()
    for parameter in command.params
    if not getattr(parameter, "hidden", False) and parameter.param_type_name == "option" and parameter.name != "help"
    for option in parameter.opts
]


def test_the_page_has_a_section_for_every_command_and_no_other():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize(("path", "option"), OPTIONS)
def test_every_option_is_in_the_section_of_its_command(path, option):
    assert re.search(rf"`{option}[` ]", SECTIONS[path]), f"{option} is not documented under {path}"


@pytest.mark.parametrize(
    ("path", "option"),
    sorted({(path, one) for path in SECTIONS for one in re.findall(r"`(--[a-z-]+)", SECTIONS[path])}),
)
def test_every_option_on_the_page_exists(path, option):
    parameters = [parameter for command in COMMANDS.values() for parameter in command.params]
    known = {opt for parameter in parameters for opt in [*parameter.opts, *parameter.secondary_opts]}
    assert option in known


@pytest.mark.parametrize("option", [opt for parameter in ROOT.params for opt in parameter.opts])
def test_every_general_option_is_on_the_page(option):
    assert option in PAGE


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda one: one.name)
def test_every_scenario_of_torture_is_in_its_table(scenario):
    assert f"| `{scenario.name}` | {scenario.title} |" in SECTIONS["dibs torture"]


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_is_in_the_table(code):
    assert f"\n| {code.value} | " in PAGE


@pytest.mark.parametrize("name", sorted({*FIELDS, *RetryVerdict, *CancelVerdict}))
def test_every_field_and_verdict_of_the_json_is_documented(name):
    assert f"`{name}`" in PAGE
