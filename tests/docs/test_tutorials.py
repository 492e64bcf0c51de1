"""A tutorial, done by a reader who types what it says, in order, and compares."""

import json
import shlex
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.docs.pages import DOCS, PATIENCE, Block, lay_out_block, make_environment, read_blocks


class Reader:
    """Saves files, runs commands, and keeps one worker in a second terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = ""
        self._code = 0
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_worker()

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.language == "python":
            lay_out_block(block, self.folder)
        elif block.language == "text":
            assert _read(self.printed) == _read(block.text)
            self._code = 0
        else:
            for line in block.text.splitlines():
                self._type(line)

    def _type(self, line: str) -> None:
        assert self._code == 0, f"a command before `{line}` failed, and the page does not say so: {self.printed}"
        if line.startswith("pip install"):
            return
        if line.startswith("dibs worker "):
            self._stop_worker()
            self._worker = subprocess.Popen(shlex.split(line), **self._manner())
            return
        if line.startswith("dibs up "):
            self._stop_worker()
            self._worker = self._serve(line)
            return
        done = subprocess.run(
            ["/bin/sh", "-c", line], capture_output=True, text=True, check=False, timeout=PATIENCE, **self._manner()
        )
        self._code, self.printed = done.returncode, done.stdout + done.stderr

    def _serve(self, line: str) -> subprocess.Popen[bytes]:
        command = [*shlex.split(line), "--no-browser", "--port", "0"]
        serving = subprocess.Popen(command, stdout=subprocess.PIPE, **self._manner())
        assert serving.stdout is not None
        assert f"on sqlite:///{self.folder}/dibs.db" in serving.stdout.readline().decode()
        return serving

    def until(self, command: str, word: str) -> None:
        """Look again until something has happened."""
        deadline = time.monotonic() + PATIENCE
        while word not in self.printed:
            assert time.monotonic() < deadline, f"`{command}` never said {word!r}: {self.printed}"
            self._type(command)

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.send_signal(signal.SIGINT)
            assert self._worker.wait(PATIENCE) == 0
            if self._worker.stdout is not None:
                self._worker.stdout.close()
            self._worker = None

    def _manner(self) -> dict[str, Any]:
        return {"cwd": self.folder, "env": make_environment()}


def _read(text: str) -> Any:
    """JSON is indented on a terminal and in one line elsewhere; everything else is compared as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def test_the_first_app_can_be_built_as_the_page_says(tmp_path):
    with Reader(tmp_path) as reader:
        shown = []
        for block in read_blocks(DOCS / "tutorials" / "first-app.md"):
            reader.follow(block)
            if block.text.startswith("dibs jobs show"):
                shown.append(reader.printed)
        failed, _ = shown
        assert failed.count("errored") == 3
        assert "nobody at home" in failed
        reader.until("dibs jobs show parcel-1", "books delivered")
        assert "somebody is at home" in reader.printed
        reader.until("dibs jobs list", "GREET")
        assert "pending" not in reader.printed
