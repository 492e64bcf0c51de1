"""A real Chromium before a real `dibs up`. Whatever a test does, no page may complain or ask another host."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from dibs.web.pages.files import HERE
from tests.browser.running import ADMIN, Program, Running, run_up, set_up

MakePage = Callable[..., Page]


# Not for the session: while Playwright runs, its event loop runs in this thread, and no other test could have one.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    place = os.environ.get("DIBS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert place, "no Chromium: apt-get install chromium, or set DIBS_CHROMIUM"
    assert (HERE / "built" / "dibs.js").is_file(), "the pages' scripts are not built: make pages"
    with sync_playwright() as playwright:
        # Root, in a container: there is no other user to drop to.
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Running]:
    with run_up(tmp_path_factory.mktemp("up") / "data", "--app", "tests.browser.house:app") as service:
        set_up(service)
        yield service


@pytest.fixture(scope="module")
def program(running) -> Iterator[Program]:
    program = Program(running)
    yield program
    program.client.close()


class Watch:
    """Writes down what a page complains of, and whom it asks."""

    def __init__(self, place: str) -> None:
        self._place = urlsplit(place).netloc
        self.complaints: list[str] = []
        self.allowed: tuple[str, ...] = ()

    def follow(self, context: BrowserContext) -> None:
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", lambda request: self._note(request.url))
        context.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _note(self, url: str) -> None:
        if urlsplit(url).netloc != self._place:
            self.complaints.append(f"asked {url}")

    def check(self) -> None:
        assert [said for said in self.complaints if not any(known in said for known in self.allowed)] == []


@pytest.fixture
def watch(running) -> Iterator[Watch]:
    watch = Watch(running.place)
    yield watch
    watch.check()


@pytest.fixture(scope="module")
def admin_state(program) -> dict[str, Any]:
    """The admin's session as a browser keeps it: hashing passwords is slow on purpose."""
    cookies = [
        {"name": one.name, "value": one.value or "", "domain": "127.0.0.1", "path": "/"}
        for one in program.client.cookies.jar
    ]
    return {"cookies": cookies, "origins": []}


@pytest.fixture
def make_page(chromium: Browser, running, watch, admin_state) -> Iterator[MakePage]:
    """Open a page, signed in unless told otherwise."""
    contexts: list[BrowserContext] = []

    def make(name: str | None = ADMIN["name"], password: str = ADMIN["password"], **options) -> Page:
        wanted = {"viewport": {"width": 1280, "height": 860}, **options}
        is_admin = name == ADMIN["name"]
        context = chromium.new_context(
            base_url=running.place, storage_state=admin_state if is_admin else None, **wanted
        )
        contexts.append(context)
        watch.follow(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        if name is not None and not is_admin:
            sign_in(page, name, password)
        return page

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(make_page: MakePage) -> Page:
    return make_page()


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def wait_until(page: Page, expression: str) -> None:
    """Look until something is true; the pages' policy forbids Playwright's own way, which evaluates text."""
    for _ in range(600):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)


@pytest.fixture(scope="session")
def album(tmp_path_factory) -> Path:
    """Where screenshots go: with DIBS_SCREENSHOTS into the documentation, else nowhere that stays."""
    wanted = os.environ.get("DIBS_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("album")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
