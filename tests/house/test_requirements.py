"""The compiled requirements install the same things from any index."""

import re
import tomllib
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
COMPILED = sorted((HOUSE / "requirements").glob("*.txt"))


def read_pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", path.read_text(), re.MULTILINE))


def read_names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[><=~ ]", requirement, maxsplit=1)[0] for requirement in requirements}


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.name)
def test_a_compiled_file_names_no_index(path):
    text = path.read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.name)
def test_every_pin_has_a_hash(path):
    blocks = re.split(r"\n(?=[a-z])", path.read_text())
    assert [block.splitlines()[0] for block in blocks if "==" in block and "--hash=sha256:" not in block] == []


def test_the_slim_file_and_the_full_one_agree():
    base, dev = (read_pins(HOUSE / f"requirements/{name}.txt") for name in ("base", "dev"))
    assert base.items() <= dev.items()


def test_what_is_run_is_what_was_tested():
    base, up, dev = (read_pins(HOUSE / f"requirements/{name}.txt") for name in ("base", "up", "dev"))
    assert base.items() <= up.items() <= dev.items()


def test_everything_that_dibs_up_can_run_is_installed_for_it():
    extras = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = [
        name
        for extra in ("postgres", "redis", "metrics", "crawl", "resumes", "server", "client")
        for name in extras[extra]
    ]
    assert read_names(needed) <= read_pins(HOUSE / "requirements/up.txt").keys()


def test_nothing_pulls_torch():
    assert [path.name for path in COMPILED if "torch" in read_pins(path)] == []


def test_everything_the_package_declares_is_pinned():
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = read_names([*project["dependencies"], *(name for extra in extras.values() for name in extra)])
    assert declared - {"dibs"} <= read_pins(HOUSE / "requirements/dev.txt").keys()
    assert read_names(project["dependencies"]) <= read_pins(HOUSE / "requirements/base.txt").keys()
