"""What is not installed is named, with the command that installs it."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
sys.modules[{missing!r}] = None
try:
    import {package}
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("missing", "package"),
    [("httpx", "dibs.outside.transport"), ("httpcore", "dibs.outside.sources"), ("protego", "dibs.outside.sources")],
)
def test_a_missing_package_is_named_with_its_extra(missing, package):
    code = BLOCKED.format(missing=missing, package=package)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("MissingExtra")
    assert f"{missing} is not installed. Run: pip install 'dibs[crawl]'" in done.stdout


def test_the_cache_needs_no_extra_on_one_machine():
    block = "import sys\nfor name in ('httpx', 'asyncpg', 'redis', 'protego'): sys.modules[name] = None\n"
    done = subprocess.run([sys.executable, "-c", f"{block}import dibs.outside.cache"], check=False)
    assert done.returncode == 0
