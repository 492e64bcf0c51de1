"""The documentation, opened from a disk without any server."""

import pytest
from playwright.sync_api import expect

from docs.site.building import build
from tests.browser.conftest import Watch

pytestmark = pytest.mark.system


@pytest.fixture
def reader(chromium, tmp_path):
    build(tmp_path)
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    watch = Watch(tmp_path.as_uri())
    watch.follow(context)
    page = context.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    yield page
    context.close()
    watch.check()


def test_a_reader_finds_a_page_by_its_words_with_the_keyboard_alone(reader):
    reader.keyboard.press("/")
    reader.keyboard.type("systemd workers")
    expect(reader.get_by_role("option").first).to_contain_text("systemd")
    box = reader.get_by_role("listbox").bounding_box()
    assert box["x"] >= 0, "what was found begins beside the screen"
    assert box["x"] + box["width"] <= 390
    reader.keyboard.press("ArrowDown")
    reader.keyboard.press("Enter")
    expect(reader.get_by_role("heading", level=1)).to_contain_text("systemd")


def test_a_reader_on_a_phone_goes_from_page_to_page_by_the_menu(reader):
    reader.get_by_role("button", name="Pages").click()
    reader.get_by_text("Explanation", exact=True).click()
    reader.get_by_role("link", name="How claiming works").click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("How claiming works")
    assert reader.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_reader_chooses_dark_and_keeps_it_on_the_next_page(reader):
    reader.set_viewport_size({"width": 1280, "height": 860})
    for _ in range(2):
        reader.get_by_role("button", name="Theme").click()
    reader.get_by_role("link", name="tutorial", exact=True).click()
    expect(reader.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert reader.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 21, 25)"
