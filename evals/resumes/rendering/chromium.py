"""A Chromium kept warm: pages in, PDF out, over the pipe it offers to debuggers.

A start costs a second, a page a tenth of that; no driver is needed, since three of its commands are enough.
"""

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Browser:
    def __init__(self, sending: BinaryIO, hearing: BinaryIO) -> None:
        self._sending, self._hearing = sending, hearing
        self._count = 0
        self._session: str | None = None

    def open_page(self) -> None:
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")

    def print_page(self, file: Path) -> bytes:
        """The PDF of an HTML file, at the size its own style asks for."""
        self._ask("Page.navigate", url=file.resolve().as_uri())
        self._hear(lambda heard: heard.get("method") == "Page.loadEventFired")
        answer = self._ask(
            "Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69
        )
        return base64.b64decode(answer["data"])

    def read_text(self) -> str:
        """The text a person sees on the page that was printed last."""
        answer = self._ask("Runtime.evaluate", expression="document.body.innerText")
        return str(answer["result"].get("value", ""))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        number = self._count
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._sending.write(json.dumps(message).encode() + b"\0")
        self._sending.flush()
        heard = self._hear(lambda one: one.get("id") == number)
        if "error" in heard:
            raise RuntimeError(f"Chromium refused {method}: {heard['error'].get('message')}")
        result: dict[str, Any] = heard["result"]
        return result

    def _hear(self, is_wanted: Any) -> dict[str, Any]:
        while True:
            heard = json.loads(self._read_message())
            if is_wanted(heard):
                return dict(heard)

    def _read_message(self) -> bytes:
        parts = bytearray()
        while (byte := self._hearing.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium ended while it was asked for a page; try again, or look at its memory")
            parts += byte
        return bytes(parts)


@contextmanager
def open_browser() -> Iterator[Browser]:
    to_child, from_us = os.pipe()
    to_us, from_child = os.pipe()
    # Its children may still write while it ends: what they leave behind is no error.
    with tempfile.TemporaryDirectory(prefix="dibs-chromium-", ignore_cleanup_errors=True) as profile:
        # Chromium speaks on 3 and 4; the shell moves our ends there, whatever numbers they have here.
        command = [
            "bash",
            "-c",
            f'exec chromium "$@" 3<&{to_child} 4>&{from_child}',
            "chromium",
            *OPTIONS,
            f"--user-data-dir={profile}",
        ]
        process = subprocess.Popen(
            command, pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_child)
        os.close(from_child)
        with os.fdopen(from_us, "wb") as sending, os.fdopen(to_us, "rb") as hearing:
            try:
                browser = Browser(sending, hearing)
                browser.open_page()
                yield browser
            finally:
                process.terminate()
                process.wait(timeout=10)
