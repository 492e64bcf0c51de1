"""The code of a page, laid out as files and run.

A block whose first line is a comment with a file's name belongs to that file; blocks of the same name are joined. All
others, one after another, make up `page.py`. A comment of the form `<!-- proof … -->` is code that readers do not see,
put at the end of `page.py`. `<!-- beside it: FILE -->` names a file of the repository that readers are told to copy. A
block after `<!-- not run: why -->` must be valid Python, and is left out.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

HOUSE = Path(__file__).parents[2]
DOCS = HOUSE / "docs"
BIN = Path(sys.executable).parent
PATIENCE = 60.0
MAIN = "page.py"

_BLOCK = re.compile(
    r"(<!-- not run: [^>]+ -->\n+)?^```(\w+)\n(.*?)^```$|^<!-- proof\n(.*?)^-->$", re.MULTILINE | re.DOTALL
)
_BESIDE = re.compile(r"^<!-- beside it: (\S+) -->$", re.MULTILINE)
_NAMED = re.compile(r"# ([\w/]+\.py)\n")


class Block(msgspec.Struct, frozen=True):
    """One block of a page."""

    language: str
    text: str
    is_run: bool = True


def read_blocks(page: Path) -> Iterator[Block]:
    """Give the blocks of a page in their order; a proof is Python."""
    for spared, language, text, proof in _BLOCK.findall(page.read_text()):
        yield Block(language or "python", text or proof, is_run=not spared)


def lay_out(page: Path, folder: Path) -> None:
    """Write the Python of a page into files."""
    for name in _BESIDE.findall(page.read_text()):
        shutil.copy(HOUSE / name, folder)
    for block in read_blocks(page):
        if block.language == "python":
            compile(block.text, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            lay_out_block(block, folder)


def lay_out_block(block: Block, folder: Path) -> None:
    """Write a block to the end of its file."""
    if not block.is_run:
        return
    named = _NAMED.match(block.text)
    file = folder / (named[1] if named else MAIN)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        lines.write(f"{block.text}\n\n")


def check_run(folder: Path, *command: str | Path) -> str:
    """Run a command in the folder of a page, and give what it prints."""
    done = subprocess.run(
        command, cwd=folder, env=make_environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def make_environment() -> dict[str, str]:
    """Our own programs first, and no setting of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DIBS_")}
    return kept | {"PATH": f"{BIN}{os.pathsep}{kept.get('PATH', '')}", "NO_COLOR": "1"}
